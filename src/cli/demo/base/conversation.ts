/** A call of a tool, as a model asks for it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** A tool as a model is told of it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

export interface Answer {
  readonly text: string;
  readonly call?: ToolCall | undefined;
}

export type Turn =
  | { readonly role: 'user'; readonly text: string }
  | ({ readonly role: 'assistant' } & Answer)
  | { readonly role: 'tool'; readonly call: ToolCall; readonly output: string };

/** What goes to a model, in no provider's format. */
export interface Prompt {
  /** Empty: none. */
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly turns: readonly Turn[];
}

const charactersOfToken = 4;
/** Roles and separators. */
const tokensOfTurn = 4;

function tokensOfText(text: string): number {
  return Math.ceil(text.length / charactersOfToken);
}

/** About the tokens of the text that goes there. */
export function tokensOfPrompt({ system, tools, turns }: Prompt): number {
  const head = tokensOfText(system) + (tools.length === 0 ? 0 : tokensOfText(JSON.stringify(tools)));
  return turns.reduce((sum, turn) => sum + tokensOfTurn + (turn.role === 'tool' ? tokensOfText(turn.output) : tokensOfSaid(turn)), head);
}

/** About the tokens of the text that comes back. */
export function tokensOfAnswer(answer: Answer): number {
  return Math.max(1, tokensOfSaid(answer));
}

function tokensOfSaid({ text, call }: Answer): number {
  return tokensOfText(text) + (call === undefined ? 0 : tokensOfText(call.name + JSON.stringify(call.input)));
}
