/** Why a call failed, in Swedish; what only the server says stands behind it as it came. Loaded when first needed. */
import type { ToldFault } from '../api/fault.ts';
import { faultInSwedish } from '../words/faults-sv.ts';

interface Told {
  readonly fault: ToldFault;
  readonly said: string;
}

export default function FaultInSwedish({ fault, said }: Told) {
  const inSwedish = faultInSwedish(fault.code, said);
  const [reason] = fault.code === 'nothing_queued' && 'fields' in fault ? fault.fields : [];
  return (
    <>
      {inSwedish?.text} {inSwedish?.isBegun !== false && <span lang="en">{said}</span>}
      {reason !== undefined && <FaultInSwedish fault={reason} said={reason.error} />}
    </>
  );
}
