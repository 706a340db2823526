import type { ImportRecord } from '../../client/nouns/imports.ts';
import { googleGenAi } from './clients.ts';
import { recordsOf } from './record.ts';
import type { SeededRandom } from './base/seeded-random.ts';
import { reportSection, reportTitles } from './texts/report-figures.ts';
import { generateContent } from './wires.ts';

/** At night, one text for each section. @param night Unix milliseconds. @param index the number of the report. */
export function dailyReport(random: SeededRandom, night: number, index: number): readonly ImportRecord[] {
  return reportTitles.flatMap((title, place) => {
    const { figures, text } = reportSection(random, title);
    return recordsOf(random, {
      at: night + place * 90_000 + random.between(0, 20_000),
      wire: generateContent,
      model: 'gemini-2.5-pro',
      client: googleGenAi,
      prompt: {
        system: 'You write the daily report of a shop for lamps and furniture. Two or three sentences a section, from the figures alone.',
        tools: [],
        turns: [{ role: 'user', text: `Write the section "${title}" of the daily report from these figures.\n\n${figures}` }],
      },
      answer: { text },
      user: 'reports@example.com',
      country: 'DE',
      session: { id: `report-${index}`, name: 'Daily report', path: `/sections/${place + 1}` },
      properties: { App: 'report-writer', Team: 'finance', Environment: 'production', Feature: 'daily-report' },
    });
  });
}
