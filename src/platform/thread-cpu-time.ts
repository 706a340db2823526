import { readFileSync } from 'node:fs';

/** Linux counts in ticks of a hundredth of a second (USER_HZ), on every machine that Node runs on. */
const tickMs = 10;
/** Places of `utime` and `stime` behind the name of the thread, which may hold spaces and stands in parentheses (proc(5)). */
const userTime = 11;
const systemTime = 12;

/** How long the calling thread has been on a core, in milliseconds, to a hundredth of a second; undefined where the system does not say. */
export function threadTimeMs(): number | undefined {
  try {
    const stat = readFileSync('/proc/thread-self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[userTime]) + Number(fields[systemTime])) * tickMs;
  } catch {
    return undefined;
  }
}
