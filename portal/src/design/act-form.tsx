/** A form that performs one action: its fields, the fault of each, any other fault, and the same action as a command. */
import type { FormEvent, ReactNode } from 'react';
import type { CurlCall } from '../api/as-curl.ts';
import type { Act } from '../api/queries.ts';
import { AsCurl } from './as-curl.tsx';
import { Button } from './button.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { FaultNotice } from './notice.tsx';

type Change<Values> = (next: (before: Values) => Values) => void;

interface Typed {
  readonly target: { readonly value: string };
}

/**
 * Binds the fields of a form, by the server's names for them, to the values typed into them (from `useState` or `useDraft`),
 * so that a fault that the server finds in a field is shown at that field.
 */
export function formOf<Values extends object>(
  act: Pick<Act<never, unknown>, 'error' | 'isPending'>,
  [values, change]: readonly [Values, Change<Values>, ...unknown[]],
) {
  const { error, isPending } = act;
  const bound = new Set<string>();
  return {
    values,
    set: (next: Values) => change(() => next),
    isPending,
    field: <Name extends keyof Values & string>(name: Name) => {
      bound.add(name);
      return {
        value: values[name],
        error: error?.of(name),
        onChange: ({ target }: Typed) => change((before) => ({ ...before, [name]: target.value })),
      };
    },
    /** The fault, unless the fields already show all of it. */
    get fault() {
      const fields = error?.fields ?? [];
      return fields.length > 0 && fields.every(({ field }) => bound.has(field)) ? null : error;
    },
  };
}

interface ActFormProps {
  readonly form: Pick<ReturnType<typeof formOf>, 'isPending' | 'fault'>;
  readonly submit: () => void;
  /** Label of the button. */
  readonly label: string;
  readonly look?: 'main' | 'danger';
  /** Whether the values typed so far are not enough to submit. */
  readonly lacks?: boolean;
  /** Closes the dialog that contains the form. */
  readonly close?: () => void;
  readonly cancel?: string;
  /** Shown beside the button. */
  readonly aside?: ReactNode;
  readonly call?: CurlCall;
  readonly children: ReactNode;
}

export function ActForm(props: ActFormProps) {
  const words = useLaterWords();
  const { form, submit, label, look = 'main', lacks = false, close, cancel, aside, call, children } = props;
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    if (!form.isPending && !lacks) submit();
  };
  return (
    <form className={layout.stack} onSubmit={submitted}>
      {children}
      <FaultNotice fault={form.fault} />
      <div className={layout.buttons}>
        {close !== undefined && <Button onClick={close}>{cancel ?? words.cancel}</Button>}
        <Button look={look} type="submit" busy={form.isPending} disabled={lacks}>
          {label}
        </Button>
        {aside}
      </div>
      {call !== undefined && <AsCurl call={call} />}
    </form>
  );
}

interface LineFormProps {
  readonly form: ActFormProps['form'];
  readonly submit: () => void;
  readonly label: string;
  readonly children: ReactNode;
}

/** A single field with a button beside it, which adds an item to the list below. */
export function LineForm({ form, submit, label, children }: LineFormProps) {
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    if (!form.isPending) submit();
  };
  return (
    <form className={layout.line} onSubmit={submitted}>
      {children}
      <Button type="submit" busy={form.isPending}>
        {label}
      </Button>
      <FaultNotice fault={form.fault} />
    </form>
  );
}
