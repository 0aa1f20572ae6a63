/** The cost centres that the company has named: suggested where one is typed, and read by their names where one is shown. */
import { useRead } from '../api/queries.ts';

export function useCostCenters() {
  return useRead('/api/v1/company/costcenters', {}, { live: ['company'] }).data?.costCenters ?? [];
}

/** The suggestions of a text field whose `list` is the id. */
export function CostCenterOptions({ id }: { readonly id: string }) {
  return (
    <datalist id={id}>
      {useCostCenters().map(({ code, name }) => (
        <option key={code} value={code} label={name} />
      ))}
    </datalist>
  );
}
