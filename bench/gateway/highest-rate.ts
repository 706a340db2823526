/** Halvings of the interval: the rate is found to a 32nd of the most that it can be. */
const stepCount = 5;

/**
 * Bisects between none and `most`, calls a second. @param holds tries a rate.
 * @returns the highest rate that held; 0 when none did that was tried.
 */
export async function highestRate(holds: (perSecond: number) => Promise<boolean>, most: number): Promise<number> {
  let [low, high] = [0, most];
  for (let step = 0; step < stepCount; step += 1) {
    const perSecond = (low + high) / 2;
    if (await holds(perSecond)) low = perSecond;
    else high = perSecond;
  }
  return low;
}
