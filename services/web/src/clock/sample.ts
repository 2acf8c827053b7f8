// How far the server's time is from ours.

/** What one question told: the server's time was `offsetMs` ahead, give or take half of `rttMs`. */
export interface Sample {
  offsetMs: number;
  rttMs: number;
}

/** The sample that can be least wrong. */
export function best(samples: readonly Sample[]): Sample | undefined {
  return samples.reduce<Sample | undefined>(
    (least, sample) => (least === undefined || sample.rttMs < least.rttMs ? sample : least),
    undefined,
  );
}
