/** Of an API whose settings name none. */
export const standardApiPort = '8788';

/** Where the API of a service on this machine is. */
export interface LocalAddress {
  /** Without a slash at its end. */
  readonly address: string;
  /** The setting that names the port, and what it says; undefined: none does. */
  readonly by?: { readonly setting: string; readonly port: string };
}

/** The address of a service on this machine that takes the same settings. */
export function localAddress(environment: Readonly<Record<string, string | undefined>>): LocalAddress {
  const {
    GATELOG_PORT: one = '',
    GATELOG_API_PORT: own = '',
    GATELOG_BASE_PATH: basePath = '',
    GATELOG_TLS_CERT_FILE: certificate = '',
  } = environment;
  const place = `${certificate === '' ? 'http' : 'https'}://127.0.0.1:`;
  if (one !== '') return { address: place + one + basePath.replace(/\/+$/, ''), by: { setting: 'GATELOG_PORT', port: one } };
  if (own !== '') return { address: place + own, by: { setting: 'GATELOG_API_PORT', port: own } };
  return { address: place + standardApiPort };
}
