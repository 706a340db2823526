/** Halvings of the interval: the rate is found to 1/32 of the maximum. */
const stepCount = 5;

/**
 * Bisects between 0 and `most` calls a second. @param holds tries a rate. @returns the highest rate that held; 0 when no tried rate did.
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
