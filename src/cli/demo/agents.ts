import type { ImportRecord } from '../../client/nouns/imports.ts';
import { claudeCode, codex } from './clients.ts';
import { type Prompt, type ToolCall, type Turn, tokensOfPrompt } from './base/conversation.ts';
import { type DemoCall, recordsOf } from './record.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import { agentSystem, agentTools } from './texts/agent-prompt.ts';
import type { Task } from './texts/agent-steps.ts';
import { agentTask, runawayTask } from './texts/agent-tasks.ts';
import { messages, responses } from './wires.ts';

const runawayTurns = 64;

/** A coding agent that works on a task for a developer: the whole conversation goes with each turn, most of it from the provider's cache. */
export function agentSession(random: SeededRandom, at: number, user: string): readonly ImportRecord[] {
  const isCodex = user === 'olga@example.com';
  const session = new Session(random, { user, isCodex, isRunaway: false, task: agentTask(random) });
  return session.run(at, isCodex ? false : random.chance(0.35));
}

/** A clock at the top of its prompt keeps it out of the provider's cache, and it tries the same again and again. */
export function runawaySession(random: SeededRandom, at: number): readonly ImportRecord[] {
  const task = runawayTask(random, runawayTurns);
  return new Session(random, { user: 'jonas@example.com', isCodex: false, isRunaway: true, task }).run(at, false);
}

interface SessionOptions {
  readonly user: string;
  readonly isCodex: boolean;
  readonly isRunaway: boolean;
  readonly task: Task;
}

/** Anthropic caches no shorter prompt. */
const minCachedTokens = 1024;
const openAiCacheStep = 128;

class Session {
  private readonly random: SeededRandom;
  private readonly options: SessionOptions;
  private readonly id: string;
  private readonly records: ImportRecord[] = [];
  /** When the last answer was there, Unix milliseconds. */
  private time = 0;

  constructor(random: SeededRandom, options: SessionOptions) {
    this.random = random;
    this.options = options;
    this.id = random.uuid();
  }

  /** @param explores whether it first asks an agent of its own to look around. */
  run(at: number, explores: boolean): readonly ImportRecord[] {
    const { random, options } = this;
    const { task, isCodex } = options;
    this.time = at;
    if (!isCodex) this.title();
    const turns: Turn[] = [{ role: 'user', text: task.title }];
    let cached = 0;
    const say = (text: string, call?: ToolCall): void => {
      const prompt: Prompt = { system: this.system(), tools: agentTools, turns: [...turns] };
      this.call({ ...this.main(prompt, cached), prompt, answer: { text, call } });
      cached = tokensOfPrompt(prompt);
      turns.push({ role: 'assistant', text, call });
    };
    const use = (call: ToolCall, output: string): void => {
      turns.push({ role: 'tool', call, output });
      this.time += random.between(300, 14_000);
    };
    if (explores) {
      const question = `Find out ${task.topic}. Name the files.`;
      const call = this.toolCall('task', { question });
      say('I let another agent look around first.', call);
      use(call, this.explore(question));
    }
    for (const { thought, tool, input, output } of task.steps) {
      const call = this.toolCall(tool, input);
      say(thought, call);
      use(call, output);
    }
    say(task.done);
    return this.records;
  }

  private system(): string {
    return this.options.isRunaway ? `The time is ${new Date(Math.floor(this.time)).toISOString()}.\n\n${agentSystem}` : agentSystem;
  }

  private toolCall(name: string, input: object): ToolCall {
    return { id: `${this.options.isCodex ? 'call' : 'toolu'}_${this.random.token(20)}`, name, input };
  }

  /** @param before tokens of the turn before. */
  private main(prompt: Prompt, before: number): Pick<DemoCall, 'wire' | 'model' | 'cacheRead' | 'cacheWrite' | 'reasoning'> {
    const { isCodex, isRunaway } = this.options;
    if (isCodex) {
      const cacheRead = before < minCachedTokens ? 0 : Math.floor(before / openAiCacheStep) * openAiCacheStep;
      return { wire: responses, model: 'gpt-5-codex', cacheRead, reasoning: this.random.between(1, 6) * 64 };
    }
    const all = tokensOfPrompt(prompt);
    const caches = !isRunaway && all >= minCachedTokens;
    return { wire: messages, model: 'claude-sonnet-4-5', cacheRead: caches ? before : 0, cacheWrite: caches ? all - before - 3 : 0 };
  }

  private call(
    call: Pick<DemoCall, 'wire' | 'model' | 'prompt' | 'answer'> & Partial<DemoCall>,
    path = '/agent',
    requestClass = 'main',
  ): void {
    const { user, isCodex, task } = this.options;
    const made = recordsOf(this.random, {
      at: this.time,
      client: isCodex ? codex : claudeCode,
      user,
      country: 'DE',
      session: { id: this.id, name: task.title, path },
      ...call,
      properties: {
        App: 'code-agent',
        Team: 'platform',
        Environment: 'development',
        Feature: 'agent',
        Repository: 'shop',
        ...(isCodex ? {} : { 'Request-Class': requestClass }),
      },
    });
    const last = made.at(-1);
    this.records.push(...made);
    if (last !== undefined) this.time = Date.parse(last.request_created_at) + (last.latency ?? 0);
  }

  /** Claude Code has a small model name the session. */
  private title(): void {
    const { task } = this.options;
    const prompt: Prompt = {
      system: 'Name this session of a coding agent in at most six words.',
      tools: [],
      turns: [{ role: 'user', text: task.title }],
    };
    const answer = { text: task.title.split(' ').slice(0, 6).join(' ') };
    this.call({ wire: messages, model: 'claude-haiku-4-5', prompt, answer }, '/title', 'auxiliary');
  }

  /** An agent that the first one starts. @returns what it found. */
  private explore(question: string): string {
    const { files } = this.options.task;
    const system =
      'You look around in a repository and answer a question about it. You change nothing. Answer with the files that matter, one a line.';
    const tools = agentTools.filter(({ name }) => ['list_files', 'search', 'read_file'].includes(name));
    const call = this.toolCall('list_files', { folder: 'src' });
    const found = files.join('\n');
    const answer = `These files matter:\n${found}`;
    const asked: Turn = { role: 'user', text: question };
    const looked: readonly Turn[] = [
      { role: 'assistant', text: 'I look at the folders first.', call },
      {
        role: 'tool',
        call,
        output: `src/admin\nsrc/api\nsrc/cache.ts\nsrc/catalogue\nsrc/checkout\nsrc/database.ts\nsrc/export\nsrc/orders\nsrc/payment\n${found}`,
      },
    ];
    const model = { wire: messages, model: 'claude-haiku-4-5' };
    this.call(
      { ...model, prompt: { system, tools, turns: [asked] }, answer: { text: 'I look at the folders first.', call } },
      '/agent/explore',
      'subagent',
    );
    this.time += this.random.between(200, 1500);
    this.call({ ...model, prompt: { system, tools, turns: [asked, ...looked] }, answer: { text: answer } }, '/agent/explore', 'subagent');
    return answer;
  }
}
