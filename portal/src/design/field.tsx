/** Form fields, each with a label above, and a hint and any error below. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react';
import type { FaultContent } from '../api/fault.ts';
import { FaultText } from './fault-text.tsx';
import styles from './field.module.css';
import layout from './layout.module.css';
import { useDesignWords } from './texts.ts';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode | FaultContent;
  /** Whether the field is marked as optional beside the label. */
  readonly optional?: boolean;
}

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

const isFault = (error: ReactNode | FaultContent): error is FaultContent =>
  typeof error === 'object' && error !== null && 'code' in error;

/** The look of a control that is placed in a `Field` directly. */
export const textControl = `${styles.control} ${layout.paper}`;

/** Puts a label, a hint and an error around any control. */
export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: FieldProps & { readonly children: (control: Control) => ReactNode }) {
  const words = useDesignWords();
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={`${layout.stack} ${layout.close}`}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {optional && <span className={`${styles.optional} ${layout.soft}`}> ({words.optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} className={layout.soft}>
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className={layout.soft} data-tone="failed" role="alert">
          {isFault(error) ? <FaultText fault={error} /> : error}
        </div>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  optional,
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }) {
  return (
    <Field label={label} hint={hint} error={error} {...(optional && { optional })}>
      {(control) => <input type="text" {...rest} {...control} className={textControl} />}
    </Field>
  );
}

export function PasswordField({
  label,
  hint,
  error,
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement> & { readonly ref?: Ref<HTMLInputElement> }) {
  const words = useDesignWords();
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className={styles.withButton}>
          <input {...rest} {...control} type={isShown ? 'text' : 'password'} className={textControl} />
          <button
            type="button"
            className={`${styles.inside} ${layout.soft}`}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? words.hidePassword : words.showPassword}
          </button>
        </div>
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  optional,
  ...rest
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly ref?: Ref<HTMLTextAreaElement> }) {
  return (
    <Field label={label} hint={hint} error={error} {...(optional && { optional })}>
      {(control) => <textarea rows={4} {...rest} {...control} className={textControl} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  optional,
  children,
  ...rest
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field label={label} hint={hint} error={error} {...(optional && { optional })}>
      {(control) => (
        <select {...rest} {...control} className={textControl}>
          {children}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  ...rest
}: Pick<FieldProps, 'label' | 'hint'> & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={`${styles.check} ${layout.beside} ${layout.tight}`}>
      <input id={id} type="checkbox" {...rest} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className={layout.soft}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

/** Scrolls a selected option into view on a phone, where the options scroll sideways. */
function bringIntoSight(label: HTMLLabelElement | null): void {
  label?.parentElement?.scrollTo({ left: label.offsetLeft - 24 });
}

/** A choice of one of a few options, all of which are visible. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  hideLabel = false,
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: ReactNode])[];
  readonly onChange: (value: Value) => void;
  readonly hideLabel?: boolean;
}) {
  const name = useId();
  return (
    <fieldset className={`${styles.choice} ${layout.stack} ${layout.close}`}>
      <legend className={hideLabel ? 'unseen' : ''}>{label}</legend>
      <div className={styles.options}>
        {options.map(([option, text]) => (
          <label
            key={option}
            ref={option === value ? bringIntoSight : null}
            className={`${styles.option} ${layout.soft}`}
          >
            <input
              type="radio"
              name={name}
              checked={option === value}
              onChange={() => onChange(option)}
              className="unseen"
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
