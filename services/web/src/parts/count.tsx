// A count, to be followed by hand: what each side has, and what komi makes of it.
import type { CountProof } from "../gen/tengen/game/v1/game_pb";
import { useWords } from "../i18n";
import { stones } from "../i18n/say";

export function CountTable({ proof }: { proof: CountProof }) {
  const w = useWords();
  const shared = proof.neutralPoints * 2;
  const given = proof.komiQuarters + proof.compensationQuarters;
  const row = (name: string, black: string, white: string) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td>{black}</td>
      <td>{white}</td>
    </tr>
  );
  const both = (name: string, quarters: number) =>
    quarters === 0 ? null : row(name, stones(-quarters), `+${stones(quarters)}`);
  return (
    <table class="count">
      <thead>
        <tr>
          <td />
          <th scope="col">{w.black}</th>
          <th scope="col">{w.white}</th>
        </tr>
      </thead>
      <tbody>
        {row(w.area, String(proof.blackPoints), String(proof.whitePoints))}
        {shared > 0 && row(w.shared, stones(shared), stones(shared))}
        {both(w.komi, proof.komiQuarters)}
        {both(w.compensation, proof.compensationQuarters)}
        {row(w.total, stones(proof.blackQuarters - given), stones(proof.whiteQuarters + given))}
      </tbody>
    </table>
  );
}
