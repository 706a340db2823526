import { useQuery } from '@tanstack/react-query';
import { everything, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { type BucketedRange, sinceFirst } from '../../../lib/buckets.ts';
import { type Course, courseQuery, type Figures, groupsQuery } from '../../../lib/metrics/groups.ts';
import { type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { useBuckets, wideChart } from '../../../lib/use-buckets.ts';
import { useQuiet } from '../../../lib/use-quiet.ts';

/** What the requests of a list are over time, and together. */
export interface ListCourse {
  readonly buckets: BucketedRange;
  readonly course: Course;
  readonly total: Figures | undefined;
}

export interface ListCourseQuery {
  readonly filter: FilterNode | undefined;
  readonly range: RangeSearch;
  /** False while the rows or their number are on their way: they come sooner when nothing is added up beside them. */
  readonly isAsked: boolean;
}

const room = { oldestMs: 1826 * 86_400_000, chartWidth: wideChart };
/** One call of the API. @returns undefined until it is answered. */
export function useListCourse({ filter = everything, range, isAsked }: ListCourseQuery): ListCourse | undefined {
  const buckets = useBuckets(range, room);
  const isQuiet = useQuiet(isAsked, JSON.stringify([filter, range]));
  const { from, to } = timeRangeOf(range, buckets.to);
  const asked = { filter, from: from ?? buckets.from, to: buckets.to };
  const course = useQuery({
    ...courseQuery({ ...asked, interval: buckets.interval, metrics: ['count', 'errors'] }),
    enabled: isQuiet,
  });
  const together = useQuery({
    ...groupsQuery({ filter, from, to, metrics: ['count', 'errors', 'error_rate', 'cost', 'unpriced_count'], by: [], sort: {}, limit: 1 }),
    enabled: isQuiet,
  });
  // Figures of the search before are none of this one.
  if (course.data === undefined || course.isPlaceholderData || together.isPlaceholderData) return undefined;
  return { buckets: sinceFirst(buckets, course.data), course: course.data, total: together.data?.total };
}
