import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/model/text.ts';
import { collect } from '../byte-provider.ts';
import { formats, type Reply } from './formats.ts';

/** A model call as it reached the provider. */
export interface ModelCall {
  readonly path: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A provider on loopback that gives coding agents a short task: the agent that is asked starts another one where it can. */
export interface AgentProvider {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly calls: ModelCall[];
  /** Calls that no format here answers; they got 404. */
  readonly unknown: string[];
  readonly close: () => Promise<void>;
}

/** In the task of the first agent, and not in that of the one which it starts. */
export const delegates = 'Let another agent do it';
export const subTask = 'Count the files in this folder.';
export const finalAnswer = 'There are three files.';

/** Tools that start another agent, and what they are called with. */
const delegating: Readonly<Record<string, JsonObject>> = {
  Agent: { description: 'Count files', prompt: subTask, subagent_type: 'general-purpose', run_in_background: false },
  task: { description: 'Count files', prompt: subTask, subagent_type: 'general' },
  agent: { description: 'Count files', prompt: subTask, subagent_type: 'general-purpose' },
  spawn_agent: { message: subTask },
};

export async function startAgentProvider(): Promise<AgentProvider> {
  const calls: ModelCall[] = [];
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    void collect(request).then((bytes) => {
      const path = request.url ?? '';
      const parsed = parseJson(bytes.toString('utf8'));
      const body = isJsonObject(parsed) ? parsed : {};
      if (request.method === 'GET' && path.startsWith('/v1/models?')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"claude-sonnet-4-6","type":"model"}]}');
        return;
      }
      const format = formats.find(({ within }) => path.includes(within));
      if (format === undefined || request.method !== 'POST') {
        unknown.push(`${request.method} ${path}`);
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}');
        return;
      }
      const model = format.modelOf(body, path);
      calls.push({ path, model, headers: request.headers });
      const events = format.events(replyTo(format.toolsOf(body), format.resultsOf(body), JSON.stringify(body)), model);
      if (body['stream'] === true || path.includes('stream')) stream(response, events);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(format.whole(model)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    unknown,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Codex starts another agent and waits for it by a second tool. */
function replyTo(tools: readonly string[], results: readonly string[], body: string): Reply {
  const tool = tools.find((name) => Object.hasOwn(delegating, name));
  if (tool === undefined || !body.includes(delegates)) return { text: finalAnswer };
  if (results.length === 0) return { tool, input: delegating[tool] ?? {} };
  const started =
    tool === 'spawn_agent' && results.length === 1 ? /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(results[0] ?? '')?.[0] : undefined;
  return started === undefined ? { text: finalAnswer } : { tool: 'wait_agent', input: { targets: [started] } };
}

function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
  response.end();
}
