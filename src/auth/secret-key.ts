import { hash, randomBytes } from 'node:crypto';
import { createFile, permissionsOf, readFileIfPresent } from '../platform/files.ts';

const secretBytes = 32;

/**
 * The deployment's secret, 32 bytes: from the setting, else from a file that the first start creates (mode 0600). It signs body addresses
 * and encrypts stored provider keys. @throws with a sentence for people when the file is malformed or readable by others than its owner.
 */
export function deploymentSecret(setting: string | undefined, file: string): Buffer {
  if (setting !== undefined) return hash('sha256', setting, 'buffer');
  const stored = readFileIfPresent(file)?.trim();
  if (stored !== undefined && /^[0-9a-f]{64}$/.test(stored)) {
    refuseShared(file);
    return Buffer.from(stored, 'hex');
  }
  if (stored !== undefined) {
    throw new Error(`The file ${file} does not hold a secret of this program; restore it, or remove it for a new one.`);
  }
  const made = randomBytes(secretBytes);
  // Core and gateways start at once; the later ones read the file of the first.
  return createFile(file, `${made.toString('hex')}\n`) ? made : deploymentSecret(setting, file);
}

function refuseShared(file: string): void {
  const permissions = permissionsOf(file);
  if ((permissions & 0o077) === 0) return;
  throw new Error(
    `The secret in ${file} is open to other users of this machine (mode 0${permissions.toString(8)}). Run "chmod 600 ${file}"; ` +
      'if another user may have read it, remove the file instead: the next start creates a new secret, earlier signed URLs end, and provider keys must be stored again.',
  );
}
