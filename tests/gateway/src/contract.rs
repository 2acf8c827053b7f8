//! The public methods, as the descriptor set tells them.

use http::Method;
use prost_reflect::{DescriptorPool, MethodDescriptor, Value};
use serde_json::Value as Json;
use tengen_proto::DESCRIPTORS;

/// How a method is asked for in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub method: Method,
    /// `/v1/games/{game_id}:watch`.
    pub path: String,
}

pub fn pool() -> DescriptorPool {
    DescriptorPool::decode(DESCRIPTORS).expect("the descriptor set")
}

/// A method by its path: `/tengen.game.v1.GameService/PlayMove`.
pub fn method(path: &str) -> MethodDescriptor {
    let (service, name) = path[1..].split_once('/').expect("a path");
    let service = pool().get_service_by_name(service).expect("a service");
    service.methods().find(|method| method.name() == name).expect("a method")
}

/// The path of a method.
pub fn path(method: &MethodDescriptor) -> String {
    format!("/{}/{}", method.parent_service().full_name(), method.name())
}

/// All methods of the contract, internal ones too.
pub fn methods() -> Vec<MethodDescriptor> {
    let services = pool().services().collect::<Vec<_>>();
    let ours = services.iter().filter(|service| service.full_name().starts_with("tengen."));
    ours.flat_map(|service| service.methods().collect::<Vec<_>>()).collect()
}

pub fn is_internal(method: &MethodDescriptor) -> bool {
    method.parent_service().full_name().starts_with("tengen.internal.")
}

/// The annotation `google.api.http`; internal methods have none.
pub fn rule(method: &MethodDescriptor) -> Option<Rule> {
    let http = pool().get_extension_by_name("google.api.http").expect("declared");
    let options = method.options();
    let Value::Message(rule) = options.get_extension(&http).into_owned() else {
        panic!("{} is annotated by no message", method.full_name());
    };
    let text = |name: &str| rule.get_field_by_name(name)?.as_str().map(str::to_owned);
    let given = [("get", Method::GET), ("post", Method::POST)].into_iter();
    given
        .filter_map(|(name, method)| Some((text(name).filter(|path| !path.is_empty())?, method)))
        .map(|(path, method)| Rule { method, path })
        .next()
}

impl Rule {
    /// The target and the body of a request: fields of the path are taken out of the message, and
    /// what is left is the query, or the body of a POST.
    pub fn request(&self, message: &Json) -> (String, String) {
        let mut left = message.as_object().expect("a message").clone();
        let mut target = self.path.clone();
        while let Some((before, rest)) = target.clone().split_once('{') {
            let (name, after) = rest.split_once('}').expect("a closing brace");
            let value = left.remove(name).unwrap_or_default();
            target = format!("{before}{}{after}", escaped(&plain(&value)));
        }
        if self.method == Method::POST {
            return (target, Json::Object(left).to_string());
        }
        for (number, (name, value)) in left.iter().enumerate() {
            let mark = if number == 0 { '?' } else { '&' };
            target.push_str(&format!("{mark}{name}={}", escaped(&plain(value))));
        }
        (target, String::new())
    }
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn escaped(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
