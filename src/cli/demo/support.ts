import type { ImportRecord } from '../../client/nouns/imports.ts';
import { aiSdk } from './clients.ts';
import type { Tool, ToolCall, Turn } from './base/conversation.ts';
import { type Fault, serverError, wrongParameter } from './faults.ts';
import { type DemoCall, placeOf, recordOf, recordsOf } from './record.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import { type Exchange, supportTalk } from './texts/support-talks.ts';
import { longArticles, shortArticles } from './texts/support-articles.ts';
import { chat, messages } from './wires.ts';

export interface TicketOptions {
  /** Unix milliseconds. */
  readonly at: number;
  readonly user: string;
  readonly country: string;
  /** Version 4 of the prompt names the customer first and then has all articles: it is longer, and never in the provider's cache. */
  readonly promptVersion: '3' | '4';
  /** A deployment goes wrong: most calls end in an error of the server. */
  readonly isBroken: boolean;
}

const tools: readonly Tool[] = [
  {
    name: 'find_order',
    description: 'Finds an order by its number.',
    parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  },
  {
    name: 'find_charges',
    description: 'Lists the charges of an account in a month.',
    parameters: { type: 'object', properties: { account: { type: 'string' }, month: { type: 'string' } }, required: ['account', 'month'] },
  },
];

/** A ticket of the support desk: questions of a customer, tools that the assistant calls, and answers. */
export function supportTicket(random: SeededRandom, options: TicketOptions): readonly ImportRecord[] {
  const { at, user } = options;
  const ticket = new Ticket(random, options);
  const talk = supportTalk(random, user);
  let time = at;
  for (const [index, exchange] of talk.entries()) {
    const end = ticket.answer(exchange, time, index === talk.length - 1);
    if (end === undefined) break;
    time = end + random.between(20_000, 110_000);
  }
  return ticket.records;
}

class Ticket {
  readonly records: ImportRecord[] = [];
  private readonly random: SeededRandom;
  private readonly options: TicketOptions;
  private readonly turns: Turn[] = [];
  private readonly id: string;
  private readonly call: Omit<DemoCall, 'at' | 'answer'>;

  constructor(random: SeededRandom, options: TicketOptions) {
    this.random = random;
    this.options = options;
    this.id = `ticket-${random.between(10_000, 99_999)}`;
    const { user, country, promptVersion } = options;
    const isLarge = random.chance(0.4);
    const system = promptVersion === '3' ? shortArticles : longArticles(user);
    this.call = {
      wire: isLarge ? messages : chat,
      model: isLarge ? 'claude-sonnet-4-5' : 'gpt-4.1-mini',
      client: aiSdk,
      prompt: { system, tools, turns: this.turns },
      user,
      country,
      session: { id: this.id, name: 'Support ticket', path: '/chat' },
      properties: this.properties(random.chance(0.9) ? 'production' : 'staging'),
      more: { prompt_id: 'support-answer', prompt_version: promptVersion },
    };
  }

  /** @returns when the answer is there; undefined: the ticket ends without one. */
  answer({ question, tool, answer }: Exchange, at: number, isLast: boolean): number | undefined {
    this.turns.push({ role: 'user', text: question });
    let time = at;
    if (tool !== undefined) {
      const call = { id: `call_${this.random.token(12)}`, name: tool.name, input: tool.input };
      if (!this.say({ text: '', call }, time)) return undefined;
      time = this.end() + 40;
      this.log(call, tool.output, time);
      this.turns.push({ role: 'tool', call, output: JSON.stringify(tool.output) });
      time = this.end() + 40;
    }
    if (!this.say({ text: answer }, time, isLast)) return undefined;
    return this.end();
  }

  private properties(environment: string): Readonly<Record<string, string>> {
    return { App: 'support-assistant', Team: 'support', Environment: environment, Feature: 'chat' };
  }

  private end(): number {
    const last = this.records.at(-1);
    return last === undefined ? this.options.at : Date.parse(last.request_created_at) + (last.latency ?? 0);
  }

  /** @returns whether the model answered. */
  private say(answer: DemoCall['answer'], at: number, isLast = false): boolean {
    const turns = [...this.turns];
    const more = { ...this.call.more, ...(isLast ? this.opinion() : {}) };
    const call: DemoCall = { ...this.call, prompt: { ...this.call.prompt, turns }, at, answer, more };
    const fault = this.fault();
    if (fault !== undefined) {
      this.records.push(recordOf(this.random, { ...call, more: this.call.more }, fault));
      return false;
    }
    this.records.push(...recordsOf(this.random, call));
    this.turns.push({ role: 'assistant', ...answer });
    return true;
  }

  private fault(): Fault | undefined {
    if (this.options.isBroken && this.random.chance(0.7)) return serverError;
    return this.call.properties['Environment'] === 'staging' && this.random.chance(0.02) ? wrongParameter : undefined;
  }

  /** What the customer says of the ticket, and what a judge scores. */
  private opinion(): Partial<ImportRecord> {
    const { random } = this;
    const isGood = random.chance(0.82);
    return {
      ...(random.chance(0.15) ? { feedback_rating: isGood } : {}),
      ...(random.chance(0.2) ? { scores: { helpfulness: isGood ? random.between(4, 5) : random.between(1, 3) } } : {}),
    };
  }

  /** The tool is no model, so the app logs its call. */
  private log({ name, input }: ToolCall, output: object, at: number): void {
    const { random, call } = this;
    this.records.push({
      request_id: random.uuid(),
      request_created_at: new Date(Math.floor(at)).toISOString(),
      provider: 'CUSTOM',
      target_url: 'custom-model-nopath',
      model: `tool:${name}`,
      request_model: `tool:${name}`,
      request_body: { _type: 'tool', toolName: name, input },
      response_body: { _type: 'tool', toolName: name, ...output },
      response_status: 200,
      failure: null,
      latency: random.between(15, 240),
      client: aiSdk.name,
      client_version: aiSdk.version,
      request_user_id: call.user,
      country_code: call.country,
      ...placeOf({ id: this.id, name: 'Support ticket', path: `/chat/${name}` }),
      properties: call.properties,
    });
  }
}
