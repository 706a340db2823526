import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type HeadersInput = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** A browser runs nothing of such a response, nor reads another type into it, although it comes from the dashboard's own origin. */
const harmless: readonly string[] = ['content-security-policy', 'sandbox', 'x-content-type-options', 'nosniff'];

/** The head of a response of the gateway at the one address, as a flat list. */
function sandboxed(headers: HeadersInput | undefined): OutgoingHttpHeader[] {
  const list =
    headers === undefined ? [] : Array.isArray(headers) ? headers : Object.entries(headers).flatMap(([name, value]) => [name, value ?? '']);
  const kept = list.filter((_, index) => String(list[index - (index % 2)]).toLowerCase() !== 'x-content-type-options');
  return [...kept, ...harmless];
}

export interface FrontResponse extends ServerResponse {
  /** Whether the API has made it: then its own headers hold. */
  isOfApi: boolean;
}

/** Responses of the one listener: what providers send cannot act in the dashboard's name. A policy of the response's own holds beside ours. */
export function frontResponses(Base: typeof ServerResponse): typeof ServerResponse {
  return class extends Base implements FrontResponse {
    isOfApi = false;

    override writeHead(status: number, message?: string | HeadersInput, headers?: HeadersInput): this {
      const given = typeof message === 'string' ? headers : message;
      const all = this.isOfApi || status === 101 ? given : sandboxed(given);
      return typeof message === 'string' ? super.writeHead(status, message, all) : super.writeHead(status, all);
    }
  } as typeof ServerResponse;
}
