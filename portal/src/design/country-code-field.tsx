/** The country of phone numbers that begin with a single zero. Left empty, it is that of the company. */
import { TextField } from './field.tsx';
import { useLaterWords } from './later-texts.ts';

interface CountryCodeFieldProps {
  readonly value: string;
  readonly change: (digits: string) => void;
  readonly ofCompany: string | undefined;
  readonly onBlur?: () => void;
}

export function CountryCodeField({ value, change, ofCompany, onBlur }: CountryCodeFieldProps) {
  const words = useLaterWords();
  return (
    <TextField
      label={words.countryCode}
      hint={ofCompany === undefined ? words.countryCodeHint : words.companyCodeHint(ofCompany)}
      optional
      inputMode="numeric"
      maxLength={4}
      placeholder={ofCompany}
      value={value}
      onChange={({ target }) => change(target.value.replace(/\D/g, ''))}
      onBlur={onBlur}
    />
  );
}
