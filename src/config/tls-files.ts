import type { TlsFiles } from '../platform/http/tls.ts';
import type { Config } from './load.ts';

/** Undefined where the listeners speak plain http. */
export function tlsFilesOf({
  tlsCertFile: certFile,
  tlsKeyFile: keyFile,
}: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}
