/** What is the same of every call by which a run sends: two-way, and without anything that a caller may wish for. */

export const plainRequest = {
  from: undefined,
  templateid: undefined,
  onlytemplateplaceholders: false,
  costcenter: undefined,
  flash: false,
  defaultcountrycode: undefined,
  replacecharacters: true,
  scheduletime: undefined,
  checknumber: false,
  twoway: true,
};
