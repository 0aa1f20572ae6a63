/** Buttons, and links that look like them: one main button per page, plain buttons beside it, quiet ones in rows. */
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { Icon } from './icons.tsx';

type Look = 'main' | 'plain' | 'quiet' | 'danger';

interface Shape {
  readonly look?: Look;
  readonly icon?: ReactNode;
  readonly small?: boolean;
}

function classOf({ look = 'plain', small = false }: Shape, more?: string): string {
  return [styles.button, styles[look], small ? styles.small : '', more ?? ''].join(' ');
}

export interface ButtonProps extends Shape, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Whether the action is in progress, so that the button can't be pressed again. It keeps the focus. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look, icon, small, busy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ ...(look && { look }), ...(small && { small }) }, className)}
      aria-disabled={busy || rest.disabled || undefined}
      data-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon}
      {children}
    </button>
  );
}

interface PlainLinkProps extends Shape, AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function PlainLink({ look, icon, small, className, children, ...rest }: PlainLinkProps) {
  return (
    <a {...rest} className={classOf({ ...(look && { look }), ...(small && { small }) }, className)}>
      {icon}
      {children}
    </a>
  );
}

/** A link to a page of the portal. */
export const ButtonLink = createLink(PlainLink);

/** The link back, above the title of a page. */
export const BackLink = createLink((link: AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <PlainLink {...link} look="quiet" small icon={<Icon name="left" size={15} />} />
));

/** Returns only the style of a button, for links that lead out of the portal. */
export function buttonLook(look: Look): string {
  return classOf({ look });
}
