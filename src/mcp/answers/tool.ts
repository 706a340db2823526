import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { GatelogClient } from '../../client/client.ts';
import { beginningOf, tokenLimits, tokensOf } from '../input/budget.ts';
import { endOfPart, marksTokens } from './recorded.ts';

/** What a call of a tool may use. */
export interface ToolContext {
  /** With the key of the caller. */
  readonly gatelog: GatelogClient;
  /** Base of the addresses in answers, without a slash at its end. */
  readonly publicUrl: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Ends with the caller. */
  readonly signal: AbortSignal;
}

/** A tool that reads. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Of `structuredContent`, where the tool has it. */
  readonly output?: z.ZodObject;
  readonly run: (given: z.output<Input>, context: ToolContext) => Promise<CallToolResult>;
}

/** Lets a tool's `run` know the type of its input. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool;
}

/** An answer of text, cut to the budget; a recorded part that was cut ends with its mark. */
export function textResult(text: string, maxTokens: number = tokenLimits.standard): CallToolResult {
  return { content: [{ type: 'text', text: tokensOf(text) <= maxTokens ? text : cutText(text, maxTokens) }] };
}

function cutText(text: string, maxTokens: number): string {
  const beginning = beginningOf(text, maxTokens - tokensOf(cutSentence) - marksTokens);
  return `${beginning}${endOfPart(beginning)}${cutSentence}`;
}

const cutSentence = '\nCut to the budget of tokens.';

/** An answer for programs, with the same as text for clients that show text. */
export function structuredResult(structuredContent: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
