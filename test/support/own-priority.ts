import { constants, setPriority } from 'node:os';

/**
 * Sets the priority of this process and of its future children. Without permission nothing changes. @param niceness lower values run
 * first.
 */
export function setOwnPriority(niceness: number): void {
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, niceness));
  } catch {
    // Only privileged users may raise a priority.
  }
}
