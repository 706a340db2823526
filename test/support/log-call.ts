import type { ApiClient } from './api.ts';

export interface LoggedCall {
  /** When it began, Unix milliseconds. */
  readonly at: number;
  readonly properties?: Readonly<Record<string, string>>;
}

/** As the endpoint for logs takes it. @param ms Unix milliseconds. */
function logTime(ms: number): { readonly seconds: number; readonly milliseconds: number } {
  return { seconds: Math.floor(ms / 1000), milliseconds: ms % 1000 };
}

/** Logs a call of a while ago. */
export async function logCall(api: ApiClient, { at, properties = {} }: LoggedCall): Promise<void> {
  await api.call('POST', '/v1/trace/custom/log', {
    providerRequest: {
      url: 'custom',
      json: { model: 'm', messages: [{ role: 'user', content: 'hello' }] },
      meta: { 'Svc-Properties': JSON.stringify(properties) },
    },
    providerResponse: { json: { ok: true }, status: 200, headers: {} },
    timing: { startTime: logTime(at), endTime: logTime(at + 250) },
  });
}
