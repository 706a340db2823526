import { makeRandom } from '../../query/records.ts';
import { agentCalls } from './agents.ts';
import { type Call, userOf, userText } from './call.ts';
import { type Message, requestBody, responseBody } from './chat.ts';
import { between, cumulativeShares, drawRank, incompressible, pick, prose } from './text.ts';

export const scenarioNames = ['chats', 'agents', 'agents-without-ids', 'rag', 'images'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  /** Calls at scale 1. */
  readonly calls: number;
  readonly callsPerSecond: number;
  /** Sessions with an identifier among so many calls. */
  readonly sessions: (calls: number) => number;
  /** The same calls for the same numbers. */
  readonly generate: (calls: number) => Generator<Call, void>;
}

/**
 * Assistants of twenty applications, each with its own short system prompt. Three of five questions are asked once, the others go on for two to
 * four turns, while others talk. A call is 1 to 3 kB.
 */
function* chatCalls(calls: number): Generator<Call, void> {
  const draw = makeRandom(11);
  const systems = Array.from({ length: 20 }, () => prose(draw, between(draw, 80, 300)));
  const open: { readonly messages: Message[]; turnsLeft: number; readonly userId: string }[] = [];
  for (let call = 0; call < calls; call += 1) {
    const goesOn = open.length > 30 || (open.length > 0 && draw() < 0.4);
    const fresh = { messages: [{ role: 'system', content: pick(draw, systems) } as Message], turnsLeft: 1, userId: userOf(draw) };
    if (draw() > 0.6) fresh.turnsLeft = between(draw, 2, 4);
    const talk = goesOn ? (open.splice(Math.floor(draw() * open.length), 1)[0] ?? fresh) : fresh;
    talk.messages.push({ role: 'user', content: userText(draw, { call, calls }, between(draw, 80, 350)) });
    const request = requestBody(talk.messages);
    const answer: Message = { role: 'assistant', content: prose(draw, between(draw, 150, 700), draw() < 0.2 ? 0.4 : 0) };
    yield { request, response: responseBody(draw, answer, request.length), userId: talk.userId };
    talk.messages.push(answer);
    talk.turnsLeft -= 1;
    if (talk.turnsLeft > 0) open.push(talk);
  }
}

const passageCount = 1500;
const passagesOfCall = 5;

/**
 * Questions about a collection of documents. Each prompt has the same system text of 6 kB, and five passages of 1,500, of which some are
 * retrieved often (Zipf, exponent 0.8) and most now and then. Each call is one turn.
 */
function* ragCalls(calls: number): Generator<Call, void> {
  const draw = makeRandom(31);
  const system = prose(draw, 6000, 0.1);
  const passages = Array.from({ length: passageCount }, () => prose(draw, between(draw, 500, 1100)));
  const popularity = cumulativeShares(passageCount, 0.8);
  for (let call = 0; call < calls; call += 1) {
    const found = new Set<number>();
    while (found.size < passagesOfCall) found.add(drawRank(draw, popularity));
    const sources = [...found].map((index, rank) => `[${rank + 1}] document ${index}\n\n${passages[index]}`).join('\n\n');
    const question = userText(draw, { call, calls }, between(draw, 60, 200));
    const request = requestBody([
      { role: 'system', content: system },
      { role: 'user', content: `Sources:\n\n${sources}\n\nQuestion: ${question}` },
    ]);
    const answer: Message = { role: 'assistant', content: `${prose(draw, between(draw, 300, 900))} [${between(draw, 1, passagesOfCall)}]` };
    yield { request, response: responseBody(draw, answer, request.length), userId: userOf(draw) };
  }
}

/**
 * Talk about pictures: five turns, each with the whole conversation, so that a picture of 40 to 120 kB comes with each. One conversation in four
 * gets a second picture in its third turn. Twenty conversations go on at a time.
 */
function* imageCalls(calls: number): Generator<Call, void> {
  const draw = makeRandom(41);
  const begin = (): { readonly messages: Message[]; turn: number; readonly userId: string } => ({
    messages: [],
    turn: 0,
    userId: userOf(draw),
  });
  const open = Array.from({ length: 20 }, begin);
  for (let call = 0; call < calls; call += 1) {
    const place = Math.floor(draw() * open.length);
    const talk = open[place] ?? begin();
    const hasPicture = talk.turn === 0 || (talk.turn === 2 && draw() < 0.25);
    const text = userText(draw, { call, calls }, between(draw, 60, 250));
    const picture = (): string => `data:image/jpeg;base64,${incompressible(draw, between(draw, 30_000, 90_000))}`;
    const parts = [{ type: 'text', text } as const, ...(hasPicture ? [{ type: 'image_url', image_url: { url: picture() } } as const] : [])];
    talk.messages.push({ role: 'user', content: hasPicture ? parts : text });
    const request = requestBody(talk.messages);
    const answer: Message = { role: 'assistant', content: prose(draw, between(draw, 200, 700)) };
    yield { request, response: responseBody(draw, answer, request.length), userId: talk.userId };
    talk.messages.push(answer);
    talk.turn += 1;
    if (talk.turn === 5) open[place] = begin();
  }
}

const none = (): number => 0;
const turnsOfSession = 30;

export const scenarios: readonly Scenario[] = [
  { name: 'chats', title: 'plain chats', calls: 20_000, callsPerSecond: 100, sessions: none, generate: chatCalls },
  {
    name: 'agents',
    title: 'agents with sessions',
    calls: 3000,
    callsPerSecond: 10,
    sessions: (calls) => Math.ceil(calls / turnsOfSession),
    generate: (calls) => agentCalls(calls, { turns: turnsOfSession, withIds: true }),
  },
  {
    name: 'agents-without-ids',
    title: 'agents without session ids',
    calls: 3000,
    callsPerSecond: 10,
    sessions: none,
    generate: (calls) => agentCalls(calls, { turns: turnsOfSession, withIds: false }),
  },
  { name: 'rag', title: 'RAG prompts with a common system text', calls: 4000, callsPerSecond: 20, sessions: none, generate: ragCalls },
  { name: 'images', title: 'images', calls: 500, callsPerSecond: 5, sessions: none, generate: imageCalls },
];
