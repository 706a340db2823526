import { readFileSync } from 'node:fs';

/** Linux counts in ticks of 10 ms (USER_HZ) on every machine that Node runs on. */
const tickMs = 10;
/** Positions of `utime` and `stime` behind the thread's name, which is in parentheses and may contain spaces (proc(5)). */
const userTime = 11;
const systemTime = 12;

/** CPU time of the calling thread in milliseconds, to 10 ms; undefined where the system does not provide it. */
export function threadTimeMs(): number | undefined {
  try {
    const stat = readFileSync('/proc/thread-self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[userTime]) + Number(fields[systemTime])) * tickMs;
  } catch {
    return undefined;
  }
}
