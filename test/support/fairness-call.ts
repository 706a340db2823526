import { type Agent, request } from 'node:http';

export interface FairnessCall {
  readonly port: number;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agent: Agent;
}

/** This header makes the provider hold its stream open. */
export const holdHeader = 'x-hold';

/** @returns the status, or the message of the error. For a held stream it resolves at the response head. */
export function sendCall({ port, key, headers, body, agent }: FairnessCall): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: '/v1/chat/completions',
        agent,
        timeout: 120_000,
        headers: { ...headers, 'svc-auth': `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length },
      },
      (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)));
        response.on('error', (error) => resolve(error.message));
        if (headers[holdHeader] !== undefined) resolve(String(response.statusCode));
      },
    );
    outgoing.on('error', (error) => resolve(error.message));
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response in two minutes')));
    outgoing.end(body);
  });
}

/** Counts equal texts. */
export function tally(outcomes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${count} x ${text}`).join(', ');
}
