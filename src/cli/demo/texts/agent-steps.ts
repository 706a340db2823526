/** What an agent says, the tool that it calls, and what comes back. */
export interface Step {
  readonly thought: string;
  readonly tool: string;
  readonly input: object;
  readonly output: string;
}

export interface Task {
  readonly title: string;
  /** What another agent may be asked to look for. */
  readonly topic: string;
  readonly files: readonly string[];
  readonly steps: readonly Step[];
  readonly done: string;
}

export function list(thought: string, folder: string, files: readonly string[]): Step {
  return { thought, tool: 'list_files', input: { folder }, output: files.join('\n') };
}

export function read(thought: string, path: string, text: string): Step {
  return { thought, tool: 'read_file', input: { path }, output: text };
}

export function search(thought: string, pattern: string, folder: string, lines: readonly string[]): Step {
  return { thought, tool: 'search', input: { pattern, folder }, output: lines.join('\n') };
}

export function edit(thought: string, path: string, old: string, replacement: string): Step {
  const lines = replacement.split('\n').length;
  return {
    thought,
    tool: 'edit_file',
    input: { path, old, new: replacement },
    output: `changed ${path}: ${lines} line${lines === 1 ? '' : 's'}`,
  };
}

/** @param fault what the one failing test says; empty: all pass. */
export function test(thought: string, path: string, failed: number, fault: string): Step {
  const files = path === '.' ? 61 : 4 + (path.length % 5);
  const tests = files * 7;
  const end =
    failed === 0 ? `Tests  ${tests} passed (${tests})` : `${fault}\n\nTests  ${failed} failed | ${tests - failed} passed (${tests})`;
  return { thought, tool: 'run_tests', input: { path }, output: `Test Files  ${files}\n${end}` };
}

export function run(thought: string, command: string, output: string): Step {
  return { thought, tool: 'run_command', input: { command }, output };
}
