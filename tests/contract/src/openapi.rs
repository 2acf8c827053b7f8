//! The contract as an OpenAPI document: what the gateway answers in JSON. Paths are those of
//! `google.api.http`, schemas follow proto3's JSON mapping, descriptions are the comments.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{
    Cardinality, DescriptorPool, EnumDescriptor, FieldDescriptor, FileDescriptor, Kind,
    MessageDescriptor, MethodDescriptor, Value,
};
use serde_json::{Map, Value as Json, json};

const ABOUT: &str = "A match platform for Go. Every method can also be called by gRPC and gRPC-Web.\n\n\
    JSON is that of proto3: fields in lowerCamelCase (snake_case is read too), 64-bit integers as \
    strings, and what has its default value is left out. An answer that is a stream is one JSON \
    message a line; one that ends before it has told the end was cut: ask again after the last \
    sequence you have.\n\nWhat changes something carries a `requestId`, and may be sent again: the same \
    request gets the same answer.";

/// The document, with a line break at its end.
pub(crate) fn document(pool: &DescriptorPool) -> String {
    let mut writer = Writer { pool, named: BTreeSet::new(), schemas: BTreeMap::new() };
    let mut paths: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
    let mut tags = Vec::new();
    for service in pool.services().filter(|service| is_public(service.full_name())) {
        let about = comment(&service.parent_file(), service.path());
        tags.push(json!({"name": service.name(), "description": about}));
        for method in service.methods() {
            let (verb, path) = rule(pool, &method);
            let operation = writer.operation(&method, verb, &path);
            let earlier = paths.entry(path).or_default().insert(verb.to_owned(), operation);
            assert!(earlier.is_none(), "two methods of one path: {}", method.full_name());
        }
    }
    writer.describe_refusals();
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tengen",
            "version": "v1",
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": writer.schemas,
            "securitySchemes": {
                "accessToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            },
            "responses": {
                "Refusal": {
                    "description": "Refused: the status says of which kind, the reason why.",
                    "content": {"application/json": {"schema": reference("google.rpc.Status")}},
                },
            },
        },
    });
    serde_json::to_string_pretty(&document).expect("JSON") + "\n"
}

fn is_public(name: &str) -> bool {
    name.starts_with("tengen.") && !name.starts_with("tengen.internal.")
}

struct Writer<'a> {
    pool: &'a DescriptorPool,
    /// Whose schema is written, or about to be.
    named: BTreeSet<String>,
    schemas: BTreeMap<String, Json>,
}

impl Writer<'_> {
    fn operation(&mut self, method: &MethodDescriptor, verb: &str, path: &str) -> Json {
        let service = method.parent_service();
        let input = method.input();
        let in_path = |field: &FieldDescriptor| path.contains(&format!("{{{}}}", field.name()));
        let (of_path, others): (Vec<_>, Vec<_>) = input.fields().partition(in_path);
        let mut parameters: Vec<_> =
            of_path.iter().map(|field| self.parameter(field, "path")).collect();
        let mut operation = Map::new();
        if verb == "get" {
            parameters.extend(others.iter().map(|field| self.parameter(field, "query")));
        } else {
            let schema = self.object(&input, &others);
            let body =
                json!({"required": true, "content": {"application/json": {"schema": schema}}});
            operation.insert("requestBody".into(), body);
        }
        let schema = self.message(&method.output());
        let about = comment(&method.output().parent_file(), method.output().path());
        let about = if method.is_server_streaming() {
            format!("One JSON message a line, as they come. {about}")
        } else {
            about
        };
        let answer = json!({
            "description": about,
            "content": {"application/json": {"schema": schema}},
        });
        let refused = json!({"$ref": "#/components/responses/Refusal"});
        operation.insert("responses".into(), json!({"200": answer, "default": refused}));

        let role = option(self.pool, method, "requires");
        let token = json!({"accessToken": []});
        let security = if role == "ROLE_GUEST" { json!([{}, token]) } else { json!([token]) };
        operation.insert("security".into(), security);
        operation.insert("x-tengen-requires".into(), role.into());
        let mut about = comment(&service.parent_file(), method.path());
        let not_built = option(self.pool, method, "not_built");
        if !not_built.is_empty() {
            about += &format!("\n\nAnswers 501: {not_built}.");
        }
        operation
            .insert("operationId".into(), format!("{}.{}", service.name(), method.name()).into());
        operation.insert("tags".into(), json!([service.name()]));
        operation.insert("description".into(), about.into());
        if !parameters.is_empty() {
            operation.insert("parameters".into(), parameters.into());
        }
        Json::Object(operation)
    }

    fn parameter(&mut self, field: &FieldDescriptor, place: &str) -> Json {
        let in_path = place == "path";
        json!({
            "name": if in_path { field.name() } else { field.json_name() },
            "in": place,
            "required": in_path,
            "description": comment(&field.parent_message().parent_file(), field.path()),
            "schema": self.field(field),
        })
    }

    fn object(&mut self, message: &MessageDescriptor, fields: &[FieldDescriptor]) -> Json {
        let mut about = comment(&message.parent_file(), message.path());
        for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
            let names: Vec<_> = oneof.fields().map(|field| field.json_name().to_owned()).collect();
            about += &format!(" Holds at most one of: {}.", names.join(", "));
        }
        let mut properties = Map::new();
        for field in fields {
            let mut schema = self.field(field);
            schema["description"] = comment(&message.parent_file(), field.path()).into();
            properties.insert(field.json_name().to_owned(), schema);
        }
        json!({"type": "object", "description": about, "properties": properties})
    }

    fn field(&mut self, field: &FieldDescriptor) -> Json {
        if field.is_map() {
            let Kind::Message(entry) = field.kind() else { panic!("a map of entries") };
            let values = self.one(&entry.map_entry_value_field());
            return json!({"type": "object", "additionalProperties": values});
        }
        let one = self.one(field);
        if field.cardinality() == Cardinality::Repeated {
            return json!({"type": "array", "items": one});
        }
        one
    }

    fn one(&mut self, field: &FieldDescriptor) -> Json {
        match field.kind() {
            Kind::Bool => json!({"type": "boolean"}),
            Kind::String => json!({"type": "string"}),
            Kind::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => {
                json!({"type": "integer", "format": "int32"})
            }
            Kind::Uint32 | Kind::Fixed32 => json!({"type": "integer", "minimum": 0}),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                json!({"type": "string", "format": "int64"})
            }
            Kind::Uint64 | Kind::Fixed64 => json!({"type": "string", "format": "uint64"}),
            Kind::Float | Kind::Double => json!({"type": "number"}),
            Kind::Enum(of) => self.choice(&of),
            Kind::Message(of) => self.message(&of),
        }
    }

    fn message(&mut self, message: &MessageDescriptor) -> Json {
        match message.full_name() {
            "google.protobuf.Timestamp" => json!({"type": "string", "format": "date-time"}),
            "google.protobuf.Duration" => {
                json!({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$"})
            }
            name if name.starts_with("google.protobuf.") => panic!("no schema for {name}"),
            name => {
                if self.named.insert(name.to_owned()) {
                    let fields: Vec<_> = message.fields().collect();
                    let schema = self.object(message, &fields);
                    self.schemas.insert(name.to_owned(), schema);
                }
                reference(name)
            }
        }
    }

    fn choice(&mut self, of: &EnumDescriptor) -> Json {
        if self.named.insert(of.full_name().to_owned()) {
            let names: Vec<_> = of.values().map(|value| value.name().to_owned()).collect();
            let about = comment(&of.parent_file(), of.path());
            let schema = json!({"type": "string", "description": about, "enum": names});
            self.schemas.insert(of.full_name().to_owned(), schema);
        }
        reference(of.full_name())
    }

    /// A refusal, whose reasons are those of the contract.
    fn describe_refusals(&mut self) {
        let reasons = self.pool.get_enum_by_name("tengen.common.v1.Reason").expect("the reasons");
        let told: Vec<_> = reasons
            .values()
            .filter(|value| value.number() != 0)
            .map(|value| {
                let about = comment(&reasons.parent_file(), value.path());
                format!("- `{}`: {about}", value.name().trim_start_matches("REASON_"))
            })
            .collect();
        let text = json!({"type": "string"});
        let refusal = json!({
            "type": "object",
            "description": "Why a call was refused.",
            "properties": {
                "code": {"type": "integer", "description": "The code of gRPC."},
                "message": {"type": "string", "description": "For people to read."},
                "details": {
                    "type": "array",
                    "description": "Among them a google.rpc.ErrorInfo, for programs; what the gateway \
                        refuses by itself has none.",
                    "items": {
                        "type": "object",
                        "required": ["@type"],
                        "properties": {
                            "@type": text,
                            "reason": {"type": "string", "description": told.join("\n")},
                            "domain": text,
                            "metadata": {"type": "object", "additionalProperties": text},
                        },
                    },
                },
            },
        });
        self.schemas.insert("google.rpc.Status".into(), refusal);
    }
}

fn reference(name: &str) -> Json {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Verb and path of a public method.
fn rule(pool: &DescriptorPool, method: &MethodDescriptor) -> (&'static str, String) {
    let http = pool.get_extension_by_name("google.api.http").expect("the annotation is declared");
    let options = method.options();
    let rule = options.get_extension(&http);
    let rule = rule.as_message().expect("a rule");
    for verb in ["get", "post"] {
        let path = rule.get_field_by_name(verb).expect("a field of the rule");
        if let Some(path) = path.as_str().filter(|path| !path.is_empty()) {
            return (verb, path.to_owned());
        }
    }
    panic!("{} has neither get nor post", method.full_name());
}

/// An option of ours, as text.
fn option(pool: &DescriptorPool, method: &MethodDescriptor, name: &str) -> String {
    let option = pool.get_extension_by_name(&format!("tengen.common.v1.{name}"));
    let option = option.expect("the option is declared");
    match method.options().get_extension(&option).into_owned() {
        Value::String(text) => text,
        Value::EnumNumber(number) => {
            let Kind::Enum(of) = option.kind() else { panic!("{name} is an enum") };
            of.get_value(number).expect("a value of it").name().to_owned()
        }
        other => panic!("{name} is {other:?}"),
    }
}

/// What stands above a thing in its file, on one line a paragraph.
fn comment(file: &FileDescriptor, path: &[i32]) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let location = info.and_then(|info| info.location.iter().find(|at| at.path == path));
    let text = location.map(|at| at.leading_comments().trim().to_owned()).unwrap_or_default();
    let paragraphs = text
        .split("\n\n")
        .map(|paragraph| paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}
