/** Shown while nothing has been sent yet: the way to a first message, for users who may send one. */
import { ButtonLink } from '../design/button.tsx';
import { Icon } from '../design/icons.tsx';
import { hasOneOf, useSession } from './session.ts';
import { useSessionWords } from './texts.ts';

export function SendFirst() {
  const words = useSessionWords();
  if (!hasOneOf(useSession(), ['send'])) return null;
  return (
    <ButtonLink look="main" to="/send" icon={<Icon name="compose" />}>
      {words.sendFirst}
    </ButtonLink>
  );
}
