/** The page that shows where the operator is signed in, and how. */
import { Security } from '../session/security.tsx';
import { useOperator } from './session.ts';
import { useOperatorWords } from './texts.ts';

export function OperatorsSecurityPage() {
  const words = useOperatorWords();
  return <Security managed={useOperator()?.passwordManaged === true && words.passwordManaged} />;
}
