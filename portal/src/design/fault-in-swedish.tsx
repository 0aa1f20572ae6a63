/** Why a call failed, in Swedish. What only the server can say follows in its own words. Loaded when first needed. */
import { Fault, type FaultContent } from '../api/fault.ts';
import { faultInSwedish } from '../words/faults-sv.ts';

export default function FaultInSwedish({ fault }: { readonly fault: FaultContent }) {
  const inSwedish = faultInSwedish(fault);
  const [reason] = fault.code === 'nothing_queued' && fault instanceof Fault ? fault.fields : [];
  return (
    <>
      {inSwedish?.text} {inSwedish?.isBegun !== false && <span lang="en">{fault.error}</span>}
      {reason !== undefined && <FaultInSwedish fault={reason} />}
    </>
  );
}
