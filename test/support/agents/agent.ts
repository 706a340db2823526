import path from 'node:path';

/** What an agent is told of the gateway, its developer and its repository. */
export interface AgentTask {
  readonly gateway: string;
  /** Folder of the installed agents. */
  readonly packages: string;
  readonly key: string;
  readonly question: string;
}

export interface CodingAgent {
  readonly name: string;
  /** Name and folder of its package. */
  readonly package: string;
  readonly command: (task: AgentTask) => readonly string[];
  readonly environment: (task: AgentTask) => Readonly<Record<string, string>>;
  /** Files below its home folder. */
  readonly files: (task: AgentTask) => Readonly<Record<string, string>>;
  /** Done in its home folder before it starts. @returns further variables of its environment. */
  readonly prepare?: (home: string, task: AgentTask) => Readonly<Record<string, string>>;
  /** Done in its home folder behind its end. @returns faults. */
  readonly finish?: (home: string) => readonly string[];
  /** Its sub-agents are places in the session. */
  readonly starts: boolean;
  /** What it cannot tell, so that its records do not have it. */
  readonly lacks?: readonly ('session' | 'tags')[];
}

export const developer = 'ada';
export const repository = 'harbour';
/** Most of their clients write the names of headers in lower case, which `Svc-Properties` outlasts. */
export const properties = JSON.stringify({ Repository: repository });
export const tags = { 'Svc-User-Id': developer, 'Svc-Properties': properties };

/** A program of its own, installed by npm for this platform. */
export const native = `${process.platform}-${process.arch}`;

export function bin({ packages }: AgentTask, name: string): string {
  return path.join(packages, 'node_modules', name);
}

/** Node 22, for those that do not run in an older one. */
export function node22(task: AgentTask): string {
  return bin(task, `node-${native}/bin/node`);
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
