/** Whether Perl's Net::SMPP is installed here (Debian: libnet-smpp-perl). */
import { execFileSync } from 'node:child_process';

export const hasNetSmpp = (() => {
  try {
    execFileSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
