/** Leads to a file, such as the CSV of a list as it is filtered, which the browser stores. */
import { buttonLook } from './button.tsx';
import { Icon } from './icons.tsx';

interface DownloadLinkProps {
  readonly href: string;
  readonly children: string;
  /** What it is, for those who hear it without what stands around it. */
  readonly label?: string;
}

export function DownloadLink({ href, children, label }: DownloadLinkProps) {
  return (
    <a href={href} download className={buttonLook('plain')} aria-label={label}>
      <Icon name="download" size={16} />
      {children}
    </a>
  );
}
