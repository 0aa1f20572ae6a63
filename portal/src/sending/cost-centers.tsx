/** The cost centres that the company has named: suggested where one is typed, and read by their names where one is shown. */
import { type ComponentProps, useId } from 'react';
import { useRead } from '../api/queries.ts';
import { TextField } from '../design/field.tsx';

export function useCostCenters() {
  return useRead('/api/v1/company/costcenters', {}, { live: ['company'] }).data?.costCenters ?? [];
}

/** A text field that suggests them. */
export function CostCenterField(props: ComponentProps<typeof TextField>) {
  const id = useId();
  return (
    <>
      <TextField {...props} list={id} />
      <datalist id={id}>
        {useCostCenters().map(({ code, name }) => (
          <option key={code} value={code} label={name} />
        ))}
      </datalist>
    </>
  );
}
