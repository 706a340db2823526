import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../model/record/exchange.ts';
import { type Rig, startRig } from '../testing/gateway-harness.ts';
import { bodyOf, call, openClient, ourKey, type Provider, requestText, startProvider, until } from '../testing/raw-http.ts';

/**
 * What Claude Code asks of a gateway: https://code.claude.com/docs/en/llm-gateway-protocol. Names of tests follow its sections.
 */

let provider: Provider;
let rig: Rig;
let bodies: Buffer[] = [];
let answer: (response: ServerResponse) => void;

const json = (body: string, headers: Readonly<Record<string, string>> = {}, status = 200) => {
  answer = (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
};

beforeAll(async () => {
  provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(body);
      answer(response);
    });
  });
  const at = { baseUrl: `http://127.0.0.1:${provider.port}`, key: 'deployment-key' };
  rig = await startRig({ providers: { anthropic: at, bedrock: at, vertex: at } });
});

afterAll(async () => {
  await rig.close();
  await provider.close();
});

beforeEach(() => {
  bodies = [];
  json('{"ok":true}');
});

const bearer = `Authorization: Bearer ${ourKey}`;

/** The head of Claude Code 2.1, without the credential. */
const head = [
  'accept: application/json',
  'content-type: application/json',
  'user-agent: claude-cli/2.1.332 (external, sdk-cli)',
  'x-claude-code-session-id: a01e6601-6303-445c-80c8-9c5474e5cd40',
  'x-stainless-retry-count: 0',
  'anthropic-beta: claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27',
  'anthropic-dangerous-direct-browser-access: true',
  'anthropic-version: 2023-06-01',
  'x-app: cli',
];

async function lastExchange(): Promise<Exchange | undefined> {
  await until(() => rig.spooled().every(({ end }) => end !== undefined));
  return rig.spooled().at(-1);
}

describe('API formats', () => {
  const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1%3A0';
  const vertexModel = '/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5';

  it.each([
    ['Anthropic Messages', 'POST', '/anthropic/v1/messages?beta=true', '/v1/messages?beta=true'],
    ['the same at the root', 'POST', '/v1/messages?beta=true', '/v1/messages?beta=true'],
    ['its counts of tokens', 'POST', '/anthropic/v1/messages/count_tokens?beta=true', '/v1/messages/count_tokens?beta=true'],
    ['its models', 'GET', '/anthropic/v1/models?limit=1000', '/v1/models?limit=1000'],
    ['the probe before the first call', 'HEAD', '/anthropic/api/hello', '/api/hello'],
    ['the same of an earlier version', 'HEAD', '/anthropic/', '/'],
    ['Bedrock', 'POST', `/bedrock/model/${claude}/invoke`, `/model/${claude}/invoke`],
    ['streams of Bedrock', 'POST', `/bedrock/model/${claude}/invoke-with-response-stream`, `/model/${claude}/invoke-with-response-stream`],
    ['its counts of tokens', 'POST', `/bedrock/model/${claude}/count-tokens`, `/model/${claude}/count-tokens`],
    ['its profiles', 'GET', '/bedrock/inference-profiles?type=SYSTEM_DEFINED', '/inference-profiles?type=SYSTEM_DEFINED'],
    ['Vertex AI', 'POST', `/vertex${vertexModel}:rawPredict`, `${vertexModel}:rawPredict`],
    ['streams of Vertex AI', 'POST', `/vertex${vertexModel}:streamRawPredict`, `${vertexModel}:streamRawPredict`],
    [
      'its counts of tokens',
      'POST',
      '/vertex/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict',
      '/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict',
    ],
  ])('%s: %s %s', async (_format, method, path, there) => {
    const response = await call(rig.port, requestText(`${method} ${path}`, [...head, bearer], method === 'POST' ? '{}' : ''));
    const seen = provider.requests.at(-1);
    expect([response.status, seen?.method, seen?.url]).toEqual([200, method, there]);
    expect(seen?.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('a probe without a credential is refused, without a record', async () => {
    const before = rig.spooled().length;
    const lines = ['Host: gateway', 'Connection: close'].join('\r\n');
    expect((await call(rig.port, `HEAD /anthropic/api/hello HTTP/1.1\r\n${lines}\r\n\r\n`)).status).toBe(401);
    expect(rig.spooled()).toHaveLength(before);
  });
});

const messages = (lines: readonly string[], body = '{}'): string => requestText('POST /anthropic/v1/messages?beta=true', lines, body);

describe('Request headers', () => {
  it.each([
    ['ANTHROPIC_AUTH_TOKEN: Authorization', [bearer]],
    ['ANTHROPIC_API_KEY: x-api-key', [`x-api-key: ${ourKey}`]],
    ['apiKeyHelper: both', [bearer, `x-api-key: ${ourKey}`]],
  ])('a Gatelog key by %s: the deployment`s key goes to the provider instead', async (_how, credential) => {
    await call(rig.port, messages([...head, ...credential]));
    const { authorization, 'x-api-key': key } = provider.requests.at(-1)?.headers ?? {};
    expect([authorization, key]).toEqual([undefined, 'deployment-key']);
  });

  it('a login at claude.ai beside a Gatelog key in ANTHROPIC_CUSTOM_HEADERS passes with its capability', async () => {
    const lines = ['Authorization: Bearer sk-ant-oat01-x', `Svc-Auth: Bearer ${ourKey}`, 'anthropic-beta: oauth-2025-04-20'];
    await call(rig.port, messages(lines));
    const { authorization, 'anthropic-beta': beta, 'x-api-key': key } = provider.requests.at(-1)?.headers ?? {};
    expect([authorization, beta, key]).toEqual(['Bearer sk-ant-oat01-x', 'oauth-2025-04-20', undefined]);
  });

  it('all others pass as they are, known or not, but ours', async () => {
    const others = [
      'anthropic-workspace-id: wrkspc_1',
      'anthropic-something-new: 1',
      'x-claude-code-agent-id: a-2',
      'x-claude-code-parent-agent-id: a-1',
      'x-claude-code-request-class: subagent',
      'x-claude-code-agent-type: general-purpose',
      'x-claude-code-prev-tool-durations: Bash=742;Read=9',
      'x-claude-code-something-new: 1',
      'X-Team: search',
    ];
    const own = ['Svc-Property-Repository: harbour', 'Svc-User-Id: ada'];
    await call(rig.port, messages([...head, ...others, ...own, bearer]));
    const lines = provider.requests.at(-1)?.rawHeaders ?? [];
    const passed = [...lines.keys()].filter((index) => index % 2 === 0).map((index) => `${lines[index]}: ${lines[index + 1]}`);
    expect(passed).toEqual(expect.arrayContaining([...head, ...others]));
    expect(passed.filter((line) => /^svc-/i.test(line))).toEqual([]);
  });

  it('session and agents are on record, with the hints for gateways and our own headers', async () => {
    const agent = ['x-claude-code-agent-id: a-2', 'x-claude-code-parent-agent-id: a-1', 'x-claude-code-request-class: subagent'];
    await call(rig.port, messages([...head, ...agent, 'Svc-Property-Repository: harbour', 'Svc-User-Id: ada', bearer]));
    expect((await lastExchange())?.open.tags).toEqual({
      sessionId: 'a01e6601-6303-445c-80c8-9c5474e5cd40',
      sessionPath: '/a-1/a-2',
      userId: 'ada',
      properties: [
        { name: 'Repository', value: 'harbour' },
        { name: 'Request-Class', value: 'subagent' },
      ],
    });
  });
});

describe('Feature pass-through', () => {
  it.each([
    ['adaptive reasoning', { thinking: { type: 'adaptive' } }],
    ['context management', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['beta tool fields', { tools: [{ name: 'n', input_schema: { type: 'object' }, strict: true, defer_loading: true }] }],
    ['effort and structured outputs', { output_config: { effort: 'high', format: { type: 'json_schema', schema: {} } } }],
    ['prompt caching', { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
    [
      'the attribution block, first and alone',
      {
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    ['a system message in the conversation', { messages: [{ role: 'system', content: [{ type: 'text', text: 'x' }] }] }],
    ['a field of a later version', { something_new: { a: [1.0, '\u{1F305}'] } }],
    ['the version that Bedrock and Vertex AI have in the body', { anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['a'] }],
  ])('%s: the body passes byte for byte', async (_feature, fields) => {
    // Spaces and numbers as no serializer here would write them.
    const body = Buffer.from(
      JSON.stringify({ model: 'claude-sonnet-4-6', max_tokens: 32_000, ...fields }, null, 1).replace('32000', '3.2e4'),
    );
    await call(rig.port, messagesOf(body));
    expect(bodies.at(-1)?.equals(body)).toBe(true);
  });

  it('an error of the provider passes with its wording', async () => {
    const error =
      '{"type":"error","error":{"type":"invalid_request_error","message":"Input tag \'advisor_20260301\' found"},"request_id":"r"}';
    json(error, { 'x-should-retry': 'false' }, 400);
    const response = await call(rig.port, messagesOf(Buffer.from('{}')));
    expect([response.status, response.body.toString(), response.header('x-should-retry')]).toEqual([400, error, 'false']);
  });
});

function messagesOf(body: Buffer): Buffer {
  const lines = [...head, bearer, `Content-Length: ${body.length}`];
  return Buffer.concat([Buffer.from(requestText('POST /anthropic/v1/messages?beta=true', lines)), body]);
}

describe('Response headers', () => {
  it('what the client reads passes', async () => {
    const told = {
      'content-type': 'text/event-stream; charset=utf-8',
      'retry-after': '7',
      'x-should-retry': 'true',
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-5h-utilization': '0.25',
      'request-id': 'req_1',
    };
    json('event: message_stop\ndata: {"type":"message_stop"}\n\n', told);
    const response = await call(rig.port, messagesOf(Buffer.from('{"stream":true}')));
    for (const [name, value] of Object.entries(told)) expect([name, response.header(name)]).toEqual([name, value]);
  });
});

describe('Streaming', () => {
  it('each event passes as it comes, pings and comments too', async () => {
    let waiting: ServerResponse | undefined;
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      waiting = response;
      response.write('event: message_start\ndata: {"type":"message_start"}\n\n');
    };
    const client = await openClient(rig.port);
    client.send(messagesOf(Buffer.from('{"stream":true}')));
    await until(() => client.text().includes('message_start'));
    for (const event of ['event: ping\ndata: {"type":"ping"}\n\n', ': a comment\n\n']) {
      waiting?.write(event);
      await until(() => client.text().includes(event));
    }
    waiting?.end('event: message_stop\ndata: {"type":"message_stop"}\n\n');
    await until(() => client.text().includes('message_stop'));
    expect(client.text()).toContain(': a comment');
    client.socket.destroy();
  });

  it('a stream of Bedrock stays a binary event stream', async () => {
    const bytes = Buffer.from([0, 0, 0, 16, 0, 0, 0, 0, 5, 194, 72, 235, 125, 152, 200, 255]);
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(bytes);
    };
    const path = '/bedrock/model/us.anthropic.claude-x/invoke-with-response-stream';
    const response = await call(rig.port, requestText(`POST ${path}`, [...head, bearer], '{}'));
    expect([response.header('content-type'), response.body.equals(bytes)]).toEqual(['application/vnd.amazon.eventstream', true]);
  });
});
