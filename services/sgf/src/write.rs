//! The writer: the root's properties in one order, then a line for each turn.

use tengen_rules::text::sgf;
use tengen_rules::{Colour, Size};

use crate::text::{long, points, seconds, simple};
use crate::{Record, Turn};

/// The game as an SGF file.
pub fn write(record: &Record) -> String {
    let mut nodes = vec![root(record)];
    nodes.extend(record.turns.iter().map(turn));
    format!("({})\n", nodes.join("\n"))
}

fn root(record: &Record) -> String {
    let Record { names, application, handicap, .. } = record;
    let mut node = Node::default();
    node.put("GM", "1");
    node.put("FF", "4");
    node.put("CA", "UTF-8");
    let [program, version] = application.each_ref().map(|part| simple(part).replace(':', "\\:"));
    if !program.is_empty() {
        node.put("AP", format!("{program}:{version}"));
    }
    node.put("SZ", size(record.size));
    node.put("RU", "Chinese");
    node.put("KM", points(record.komi_quarters));
    if !handicap.is_empty() {
        node.put("HA", handicap.len());
        node.put("AB", handicap.iter().map(|at| sgf::format(*at)).collect::<Vec<_>>().join("]["));
    }
    if record.first == Colour::White {
        node.put("PL", "W");
    }
    node.put_some("PB", simple(&names[0]));
    node.put_some("PW", simple(&names[1]));
    node.put_some("GN", simple(&record.name));
    node.put_some("PC", simple(&record.place));
    node.put_some("DT", record.dates.join(","));
    if let Some(main_ms) = record.main_ms {
        node.put("TM", seconds(main_ms));
    }
    if let Some(overtime) = record.overtime {
        node.put("OT", overtime);
    }
    if let Some(result) = &record.result {
        node.put("RE", result);
    }
    node.put_some("GC", long(&record.comment));
    node.0
}

fn turn(turn: &Turn) -> String {
    let mut node = Node::default();
    let [letter, left, overtime] = match turn.colour {
        Colour::Black => ["B", "BL", "OB"],
        Colour::White => ["W", "WL", "OW"],
    };
    node.put(letter, turn.point.map(sgf::format).unwrap_or_default());
    if let Some(clock) = turn.left {
        node.put(left, seconds(clock.ms));
        if let Some(number) = clock.overtime {
            node.put(overtime, number);
        }
    }
    node.put_some("C", long(turn.comment.as_deref().unwrap_or_default()));
    node.0
}

/// One number for a square board, columns and rows for another.
fn size(size: Size) -> String {
    match (size.columns(), size.rows()) {
        (columns, rows) if columns == rows => columns.to_string(),
        (columns, rows) => format!("{columns}:{rows}"),
    }
}

/// A node that is being written.
struct Node(String);

impl Default for Node {
    fn default() -> Self {
        Self(";".into())
    }
}

impl Node {
    /// A property with a value that is escaped.
    fn put(&mut self, name: &str, value: impl ToString) {
        self.0 += &format!("{name}[{}]", value.to_string());
    }

    /// The same, if there is anything to say.
    fn put_some(&mut self, name: &str, value: String) {
        if !value.is_empty() {
            self.put(name, value);
        }
    }
}
