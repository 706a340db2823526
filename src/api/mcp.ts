import type { HttpBindings } from '@hono/node-server';
import type { Context, Env } from 'hono';
import { GatelogError } from '../model/errors.ts';
import type { OrganizationId } from '../model/ids.ts';
import { authenticate } from './endpoint/authenticate.ts';
import { admitBody, type LimitBody } from './http/body-limit.ts';
import { CallMemory, type ReaderInProcess } from './http/response-memory.ts';
import type { ApiPorts } from './endpoint/ports.ts';

/**
 * The Model Context Protocol over HTTP (its "streamable HTTP"). Every tool calls the API with the caller's key, so that nothing here decides
 * who sees what. Invariant: a call is over when its response is, and none stays open.
 */

export const mcpPath = '/mcp';

/** Calls that run at once, of one organisation and of all. */
const running = { ofOne: 8, ofAll: 32 } as const;

export class McpCalls {
  private readonly counts = new Map<OrganizationId, number>();
  private total = 0;

  /** @throws GatelogError `service_busy` when too many run. */
  async during<Answer>(organizationId: OrganizationId, work: () => Promise<Answer>): Promise<Answer> {
    const count = this.counts.get(organizationId) ?? 0;
    if (count >= running.ofOne || this.total >= running.ofAll) {
      throw new GatelogError('service_busy', 'Too many calls of tools run at once; send fewer at a time.');
    }
    this.counts.set(organizationId, count + 1);
    this.total += 1;
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = (this.counts.get(organizationId) ?? 1) - 1;
      if (left === 0) this.counts.delete(organizationId);
      else this.counts.set(organizationId, left);
    }
  }
}

/**
 * The memory of the answers that a call of a tool reads. Invariant: a call that waits for memory holds none, so an answer is held until the
 * tool asks on or ends, and one that comes while the tool waits for another is not held.
 */
export class AnswersInHand {
  private readonly releases: (() => void)[] = [];
  private waiting = 0;

  async during(ask: (reader: ReaderInProcess) => Response | Promise<Response>): Promise<Response> {
    this.release();
    this.waiting += 1;
    try {
      return await ask({ takeOver: (release) => (this.waiting > 1 ? release() : this.releases.push(release)) });
    } finally {
      this.waiting -= 1;
    }
  }

  release(): void {
    for (const release of this.releases.splice(0)) release();
  }
}

interface McpParts {
  readonly ports: ApiPorts;
  readonly calls: McpCalls;
  readonly limitBody: LimitBody;
  /** The API itself. */
  readonly fetch: (request: Request, reader: ReaderInProcess) => Response | Promise<Response>;
}

export async function answerMcp(context: Context<Env, string>, { ports, calls, limitBody, fetch }: McpParts): Promise<Response> {
  refuseForeignPages(context, ports);
  // Its tools call the API by the key, which a browser's session does not say.
  if (context.req.header('Authorization') === undefined) throw ports.explainRejection(undefined);
  const { organizationId } = await authenticate(context, ports, 'read');
  const memory = new CallMemory(ports.answerMemory, context.req.raw.signal).ownedBy(organizationId);
  return memory.during(context, async () => {
    await admitBody(context, { limitBody, maxBytes: ports.bodyMaxBytes, memory });
    return calls.during(organizationId, () => callTools(context, ports, fetch));
  });
}

async function callTools(context: Context<Env, string>, ports: ApiPorts, fetch: McpParts['fetch']): Promise<Response> {
  const request = context.req.raw;
  const key = context.req.header('Authorization')?.trim().split(/\s/).at(-1) ?? '';
  const { incoming } = (context.env ?? {}) as Partial<HttpBindings>;
  const inHand = new AnswersInHand();
  try {
    const { status, headers, body } = await ports.answerMcp({
      request,
      key,
      fetch: (address, init) => inHand.during((reader) => fetch(new Request(address, init), { ...reader, incoming })),
    });
    const bytes = body === null ? null : await new Response(body).arrayBuffer();
    return new Response(bytes, { status, headers });
  } finally {
    inHand.release();
  }
}

/**
 * The protocol asks for it: a page that has given itself this server's address (DNS rebinding) still sends its own origin. Programs send
 * none. @throws GatelogError 403.
 */
function refuseForeignPages(context: Context, { corsOrigins, serverOrigins }: ApiPorts): void {
  const origin = context.req.header('Origin');
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin) || serverOrigins().includes(origin)) return;
  throw new GatelogError(
    'permission_denied',
    `Pages of ${JSON.stringify(origin.slice(0, 100))} may not call this address; GATELOG_CORS_ORIGINS names those that may.`,
  );
}
