import { constants, setPriority } from 'node:os';

/**
 * Lets this process, and what it starts from now on, go before others when cores are short, or behind them. Where the system forbids it nothing changes.
 * @param niceness as the system counts: less is sooner.
 */
export function setOwnPriority(niceness: number): void {
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, niceness));
  } catch {
    // Not everybody may go before others.
  }
}
