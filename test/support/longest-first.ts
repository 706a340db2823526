import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { knownTimes } from './test-times.ts';

/** Of files that took little, or are new. */
const otherSeconds = 1;

/** Begins with the files that took longest, so that none of them is left alone at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = knownTimes();
    const secondsOf = ({ moduleId, project }: TestSpecification): number =>
      times.get(moduleId.slice(project.vitest.config.root.length + 1)) ?? otherSeconds;
    return Promise.resolve(files.toSorted((one, other) => secondsOf(other) - secondsOf(one)));
  }
}
