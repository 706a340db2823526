import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One running process as the operating system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** User and system time so far, in milliseconds. */
  readonly cpuMs: number;
  /** Command line, one element per argument (split at blanks where the system reports only one string). */
  readonly command: readonly string[];
}

const isLinux = process.platform === 'linux';
const tickMs = isLinux ? 1000 / clockTicksPerSecond() : 0;

/** The processes of this machine that this user may see. */
function listProcesses(): ProcessEntry[] {
  return isLinux ? listFromProc() : listFromPs();
}

/** The process and its descendants; empty when it has ended. */
export function processTree(rootPid: number): ProcessEntry[] {
  const all = listProcesses();
  const tree = all.filter((entry) => entry.pid === rootPid);
  for (const parent of tree) tree.push(...all.filter((entry) => entry.parentPid === parent.pid));
  return tree;
}

/** CPU time of one process so far, in milliseconds; 0 when it has ended. */
export function processCpuMs(pid: number): number {
  if (isLinux) return readProcEntry(pid)?.cpuMs ?? 0;
  return listFromPs().find((entry) => entry.pid === pid)?.cpuMs ?? 0;
}

/** Memory of a process, in bytes. */
export interface ResidentBytes {
  readonly now: number;
  /** Maximum since the process began. */
  readonly peak: number;
}

/** Memory of a process; null where the system reports no peak (all but Linux), or when the process has ended. */
export function residentBytes(pid: number): ResidentBytes | null {
  if (!isLinux) return null;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const [now, peak] = [/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1], /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]];
    return now === undefined || peak === undefined ? null : { now: Number(now) * 1024, peak: Number(peak) * 1024 };
  } catch {
    return null;
  }
}

function listFromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcEntry(Number(name)) ?? []);
}

function readProcEntry(pid: number): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // TRICKY: the second field is the program's name in parentheses, and the name may contain blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { pid, parentPid: Number(fields[1]), cpuMs: ticks * tickMs, command };
  } catch {
    return null;
  }
}

function listFromPs(): ProcessEntry[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid=,time=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, parentPid, time, ...command] = line.trim().split(/\s+/);
    if (pid === undefined || parentPid === undefined || time === undefined) return [];
    return [{ pid: Number(pid), parentPid: Number(parentPid), cpuMs: parseCpuTime(time), command }];
  });
}

/** Milliseconds of `[[days-]hours:]minutes:seconds[.hundredths]`. */
function parseCpuTime(time: string): number {
  const [days, clock] = time.includes('-') ? time.split('-') : ['0', time];
  const seconds = (clock ?? '').split(':').reduce((total, part) => total * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

function clockTicksPerSecond(): number {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
  } catch {
    return 100;
  }
}
