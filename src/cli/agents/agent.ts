import type { Change } from './formats/format.ts';

/** What an agent is told. */
export interface Connection {
  /** Address of the gateway, without a slash at its end. */
  readonly gateway: string;
  /** The person's Gatelog key. */
  readonly key: string;
  /** `Svc-User-Id` of the calls. */
  readonly user: string;
  /** Properties of the calls, by their names. */
  readonly properties: Readonly<Record<string, string>>;
  /** The model, of an agent that has to be told one. */
  readonly model: string;
  /** Now, in Unix milliseconds. */
  readonly at: number;
}

/** A settings file of an agent, and what changes in it. */
export interface SettingsFile {
  readonly format: 'json' | 'toml' | 'yaml';
  /** Absolute. */
  readonly path: string;
  readonly changes: readonly Change[];
}

/** Where agents look for their settings. */
export interface Folders {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A coding agent, and the settings that its makers document. */
export interface Agent {
  /** The word on our command line. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** Its command. */
  readonly program: string;
  readonly files: (connection: Connection, folders: Folders) => readonly SettingsFile[];
  /** Lines for the shell that starts it, for what no file of it can say; the key may stand in them. */
  readonly shellLines?: (connection: Connection) => readonly string[];
}
