/** PURE. Where the values of a workload are in its Secret, whose keys have fewer characters than names of variables. */
export const envKey = (index: number) => `env-${index}`;
export const fileKey = (index: number) => `file-${index}`;
