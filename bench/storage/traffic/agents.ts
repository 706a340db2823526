import { makeRandom } from '../../query/records.ts';
import { type Call, type CallPlace, userOf, userText } from './call.ts';
import { type Message, requestBody, responseBody, type Tool, type ToolCall } from './chat.ts';
import { between, code, type Draw, pick, prose, token, word } from './text.ts';

/** Sessions that go on at a time. */
const sessionsAtOnce = 100;

interface Session {
  readonly number: number;
  readonly userId: string;
  readonly messages: Message[];
  turn: number;
}

interface AgentOptions {
  readonly turns: number;
  /** Whether calls name their session. */
  readonly withIds: boolean;
}

export function agentSessionId(number: number): string {
  return `agent-session-${number}`;
}

/**
 * Coding agents: each turn sends the whole conversation, which begins with tools and a system prompt that all of them have, about 4 kB, and with
 * what is known of the session's own project, 1 kB. A turn adds the assistant's words with a call of a tool, and what the tool has printed, 2.6 kB
 * together. Of 3,000 calls and 141 MB, 7.8 MB are said for the first time.
 */
export function* agentCalls(calls: number, { turns, withIds }: AgentOptions): Generator<Call, void> {
  const draw = makeRandom(21);
  const tools = ['read_file', 'write_file', 'run_command', 'search'].map((name) => toolOf(draw, name));
  const system = prose(draw, 1800, 0.1);
  const count = Math.ceil(calls / turns);
  let begun = 0;
  const begin = (): Session => {
    const messages: Message[] = [{ role: 'system', content: `${system}\n\n# Project\n${prose(draw, 1000, 0.3)}` }];
    begun += 1;
    return { number: begun - 1, userId: userOf(draw), messages, turn: 0 };
  };
  const open = Array.from({ length: Math.min(count, sessionsAtOnce) }, begin);
  for (let call = 0; call < calls; call += 1) {
    const place = Math.floor(draw() * open.length);
    const session = open[place] as Session;
    session.messages.push(callerMessage(draw, session, { call, calls }));
    const request = requestBody(session.messages, tools);
    const answer = answerOf(draw);
    yield {
      request,
      response: responseBody(draw, answer, request.length),
      userId: session.userId,
      ...(withIds ? { sessionId: agentSessionId(session.number) } : {}),
    };
    session.messages.push(answer);
    session.turn += 1;
    if (session.turn < turns) continue;
    if (begun < count) open[place] = begin();
    else open.splice(place, 1);
  }
}

/** What the caller adds in a turn: the task, what a tool has printed, or a remark of the user. */
function callerMessage(draw: Draw, { messages, turn }: Session, at: CallPlace): Message {
  if (turn === 0) return { role: 'user', content: userText(draw, at, between(draw, 600, 1500)) };
  const called = messages.at(-1)?.tool_calls?.[0];
  if (called === undefined) return { role: 'user', content: userText(draw, at, between(draw, 100, 500)) };
  const bytes = between(draw, 600, 3200);
  const printed = draw() < 0.7 ? code(draw, bytes) : prose(draw, bytes);
  return { role: 'tool', tool_call_id: called.id, content: `${userText(draw, at, 40)}\n${printed}` };
}

function answerOf(draw: Draw): Message {
  const content = prose(draw, between(draw, 80, 300));
  return draw() < 0.93 ? { role: 'assistant', content, tool_calls: [callOf(draw)] } : { role: 'assistant', content };
}

function callOf(draw: Draw): ToolCall {
  const path = `src/${word(draw)}/${word(draw)}.ts`;
  const toolArguments = draw() < 0.5 ? { path } : { path, text: code(draw, between(draw, 100, 700)) };
  return {
    id: `call_${token(draw, 24)}`,
    type: 'function',
    function: { name: pick(draw, ['read_file', 'write_file', 'run_command', 'search']), arguments: JSON.stringify(toolArguments) },
  };
}

function toolOf(draw: Draw, name: string): Tool {
  const properties = Object.fromEntries(['path', 'text'].map((field) => [field, { type: 'string', description: prose(draw, 60) }]));
  return {
    type: 'function',
    function: {
      name,
      description: prose(draw, 150),
      parameters: { type: 'object', properties, required: ['path'], additionalProperties: false },
    },
  };
}
