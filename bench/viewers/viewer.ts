import { request, type IncomingMessage } from 'node:http';
import type { RunningService } from '../rest/measured-start.ts';

/** A client of the live stream. */
export interface BenchViewer {
  /** Events with a request that have come. */
  readonly events: () => number;
  readonly close: () => void;
}

/** Opens a stream. @param filter undefined: everything. @param reads false: the client reads nothing behind the first bytes. */
export async function openViewer(
  { apiUrl, apiKey }: RunningService,
  { filter, reads }: { readonly filter: unknown; readonly reads: boolean },
): Promise<BenchViewer> {
  const address = new URL('/v1/request/stream', apiUrl);
  if (filter !== undefined) address.searchParams.set('filter', JSON.stringify(filter));
  const { response, close } = await opened(address, apiKey);
  if (response.statusCode !== 200) {
    close();
    throw new Error(`A stream was answered ${response.statusCode ?? 0}.`);
  }
  let events = 0;
  let rest = '';
  response.setEncoding('latin1');
  await new Promise<void>((resolve) => {
    response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      events += blocks.filter((block) => block.includes('\nevent: request\n')).length;
      resolve();
      if (!reads) response.pause();
    });
  });
  return { events: () => events, close };
}

function opened(address: URL, key: string): Promise<{ readonly response: IncomingMessage; readonly close: () => void }> {
  return new Promise((resolve, reject) => {
    const call = request(address, { headers: { authorization: `Bearer ${key}` }, agent: false }, (response) => {
      response.on('error', () => undefined);
      resolve({ response, close: () => call.destroy() });
    });
    call.on('error', reject);
    call.end();
  });
}

/** What the service says to one viewer too many. */
export async function refusal({ apiUrl, apiKey }: RunningService): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/request/stream`, { headers: { authorization: `Bearer ${apiKey}` } });
  const text = response.status === 200 ? 'a stream' : ((await response.json()) as { readonly error: string }).error;
  await response.body?.cancel().catch(() => undefined);
  return `${response.status}, retry-after ${response.headers.get('retry-after') ?? 'none'}: ${text}`;
}
