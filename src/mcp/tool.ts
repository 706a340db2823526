import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { GatelogClient } from '../client/client.ts';

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

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** An answer for programs, with the same as text for clients that show text. */
export function structuredResult(structuredContent: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
