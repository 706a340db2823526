/** Limits of what an organisation saves for its dashboard. */
export const dashboardLimits = {
  nameCharacters: 128,
  views: 200,
  boards: 200,
  panels: 40,
  boardBytes: 256 * 1024,
  search: { fields: 64, nameCharacters: 64, items: 100, bytes: 16 * 1024 },
} as const;
