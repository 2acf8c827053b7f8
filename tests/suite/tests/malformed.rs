//! What no honest client sends: thousands of broken requests to every method that is built.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use bytes::Bytes;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tengen_kit::service::MAX_MESSAGE_BYTES;
use tengen_suite::Refused;
use tengen_suite::player::point;
use tengen_suite::raw::{Answer, Raw, frame, request};
use tengen_suite::requests::{Call, calls};
use tengen_suite::site::Site;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;

const ROUNDS: usize = 110;
const LONG_ID: usize = 10 * 1024;
const ENDS: [u64; 9] = [
    0,
    1,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_8000_0000,
    u64::MAX,
];

/// A broken request, and what must be answered where that is certain.
struct Broken {
    how: &'static str,
    content_type: &'static str,
    body: Bytes,
    expected: Option<Code>,
}

impl Broken {
    fn new(how: &'static str, body: Bytes, expected: Option<Code>) -> Self {
        Self { how, content_type: "application/grpc", body, expected }
    }

    /// A frame that is in order around a message that may not be.
    fn message(how: &'static str, call: &Call, message: &[u8]) -> Self {
        let unreadable = DynamicMessage::decode(call.input.clone(), message).is_err();
        let expected = unreadable.then_some(Code::InvalidArgument);
        Self::new(how, frame(0, message), expected)
    }

    /// One of every kind in turn; `good` is a message that would be taken.
    fn draw(round: usize, call: &Call, good: &[u8], rng: &mut StdRng) -> Self {
        match round % 11 {
            0 => Self::message("random bytes", call, &noise(rng, 200)),
            1 => Self::message("cut", call, &good[..rng.random_range(0..=good.len())]),
            2 => Self::message("flipped bits", call, &flipped(good, rng)),
            3 | 4 => {
                let more = odd_field(&call.input, rng);
                Self::message("an odd value", call, &[good, more.as_slice()].concat())
            }
            5 => {
                let whole = frame(0, good);
                let cut = whole.slice(..rng.random_range(0..whole.len()));
                Self::new("a cut frame", cut, Some(Code::InvalidArgument))
            }
            6 => {
                let body = frame(rng.random_range(1..=255), good);
                Self::new("a wrong flag", body, Some(Code::InvalidArgument))
            }
            7 => {
                let content_type = ["application/json", "text/html", "", "application/grpcx"];
                let content_type = content_type[rng.random_range(0..content_type.len())];
                let broken =
                    Self::new("a content type", frame(0, good), Some(Code::InvalidArgument));
                Self { content_type, ..broken }
            }
            8 => Self::new("no frame", noise(rng, 100).into(), None),
            9 => {
                let mut body = frame(0, good).to_vec();
                body[1..5].copy_from_slice(&rng.random_range(65_537_u32..=u32::MAX).to_be_bytes());
                Self::new("a huge length", body.into(), Some(Code::ResourceExhausted))
            }
            _ => {
                let message = [good, invalid_text(&call.input).as_slice()].concat();
                Self::message("invalid UTF-8", call, &message)
            }
        }
    }
}

fn noise(rng: &mut StdRng, most: usize) -> Vec<u8> {
    let length = rng.random_range(0..=most);
    (0..length).map(|_| rng.random()).collect()
}

fn flipped(good: &[u8], rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..rng.random_range(1..=8) {
        if !bytes.is_empty() {
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
    }
    bytes
}

fn long(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::new();
    encode_key(number, WireType::LengthDelimited, &mut field);
    encode_varint(bytes.len() as u64, &mut field);
    field.extend_from_slice(bytes);
    field
}

/// Some field of a message again, with a value at the end of its range or beyond; the last one
/// holds.
fn odd_field(message: &MessageDescriptor, rng: &mut StdRng) -> Vec<u8> {
    let fields: Vec<_> = message.fields().collect();
    if fields.is_empty() {
        return long(rng.random_range(1..1_000), &[0; 9]);
    }
    let field = &fields[rng.random_range(0..fields.len())];
    match field.kind() {
        Kind::Message(inner) => long(field.number(), &odd_field(&inner, rng)),
        Kind::String | Kind::Bytes => {
            let letter = b"x\n/\0"[rng.random_range(0..4)];
            long(field.number(), &[letter].repeat(LONG_ID))
        }
        _ => {
            let mut odd = Vec::new();
            encode_key(field.number(), WireType::Varint, &mut odd);
            encode_varint(ENDS[rng.random_range(0..ENDS.len())], &mut odd);
            odd
        }
    }
}

/// A text that is none; nothing for a message without texts.
fn invalid_text(message: &MessageDescriptor) -> Vec<u8> {
    let text = message.fields().find(|field| matches!(field.kind(), Kind::String));
    text.map_or_else(Vec::new, |field| long(field.number(), b"\xff\xfe\x80"))
}

/// Whether an answer says what is wrong in the contract's words.
fn judge(broken: &Broken, answer: &Answer) -> Result<(), String> {
    let status = &answer.status;
    let code = status.code();
    if broken.expected.is_some_and(|expected| expected != code) {
        return Err(format!("{:?} expected, got {status:?}", broken.expected));
    }
    match code {
        Code::Ok => Ok(()),
        Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::FailedPrecondition
        | Code::ResourceExhausted => {
            Refused::from(status);
            Ok(())
        }
        _ => Err(format!("{status:?}")),
    }
}

fn seed() -> u64 {
    let given = std::env::var("TENGEN_SEED").ok();
    given.map_or(20_260_101, |seed| seed.parse().expect("TENGEN_SEED is a number"))
}

// Sent by White, while it is Black's turn: even what is still in order changes no game.
// fault: F16 F17
#[tokio::test]
async fn thousands_of_broken_requests_are_refused_and_nothing_happens() {
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut site = Site::start().await;
    let before = site.games().await;
    let mut raw = Raw::connect(site.suite.url()).await;
    let mut wrong = Vec::new();
    for call in calls() {
        let mut authorization = site.authorization(&call).await;
        let good = call.message(call.json(&site.ids));
        for round in 0..ROUNDS {
            let broken = Broken::draw(round, &call, &good, &mut rng);
            let mut request = request(call.method.path, Some(&authorization));
            let content_type = broken.content_type.parse().unwrap();
            request.headers_mut().insert("content-type", content_type);
            let answer = raw.send(request, broken.body.clone()).await;
            if call.ends_sessions() && answer.status.code() == Code::Ok {
                authorization = site.authorization(&call).await;
            }
            if let Err(what) = judge(&broken, &answer) {
                wrong.push(format!(
                    "{} {} {:02x?}: {what}",
                    call.method.path, broken.how, broken.body
                ));
            }
        }
    }
    let few = &wrong[..wrong.len().min(10)];
    assert!(wrong.is_empty(), "TENGEN_SEED={seed}: {} wrong:\n{}", wrong.len(), few.join("\n"));
    assert_eq!(site.games().await, before, "TENGEN_SEED={seed}");
    let id = site.pair.game_id.clone();
    site.pair.black.play(&id, 1, point(4, 4)).await.expect("the game goes on");
}

// fault: F17
#[tokio::test]
async fn a_request_above_64_kib_is_refused() {
    let site = Site::start().await;
    let mut raw = Raw::connect(site.suite.url()).await;
    for call in calls() {
        let authorization = site.authorization(&call).await;
        for (bytes, fits) in
            [(MAX_MESSAGE_BYTES, true), (MAX_MESSAGE_BYTES + 1, false), (1 << 20, false)]
        {
            // A field that the contract does not know is passed over. Key and length take 5 bytes.
            let message = long(1_000, &vec![0; bytes - 5]);
            assert_eq!(message.len(), bytes);
            let status = raw.call(call.method.path, Some(&authorization), &message).await.status;
            let too_large = status.code() == Code::ResourceExhausted;
            assert_eq!(
                too_large,
                !fits,
                "{}, {} bytes: {status:?}",
                call.method.path,
                message.len()
            );
            if too_large {
                let refused = Refused::from(&status);
                assert_eq!(
                    (refused.reason.as_str(), refused.meta("most")),
                    ("LIMIT_REACHED", "65536")
                );
            }
        }
    }
}

// fault: F16
#[tokio::test]
async fn whoever_speaks_no_grpc_harms_nobody() {
    let site = Site::start().await;
    let before = site.games().await;
    let mut raw = Raw::connect(site.suite.url()).await;
    let path = "/tengen.rating.v1.RatingService/GetLadder";
    for garbage in [
        b"GET / HTTP/1.1\r\n\r\n".as_slice(),
        &[0; 64],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxx",
    ] {
        let mut stream = TcpStream::connect(&site.suite.url()["http://".len()..]).await.unwrap();
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        // Until the server has closed it, in whatever way.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    let mut other = request(path, None);
    other.headers_mut().insert("content-type", "application/json".parse().unwrap());
    let answer = raw.send(other, frame(0, b"")).await;
    assert_eq!(answer.http, 415);
    assert_eq!(Refused::from(&answer.status).fields, ["content-type"]);
    let empty = raw.send(request(path, None), Bytes::new()).await;
    assert_eq!(Refused::from(&empty.status).fields, ["request"]);
    let mut zipped = request(path, None);
    zipped.headers_mut().insert("grpc-encoding", "gzip".parse().unwrap());
    assert_eq!(raw.send(zipped, frame(1, b"")).await.status.code(), Code::Unimplemented);
    assert_eq!(raw.call(path, None, b"").await.status.code(), Code::Ok);
    assert_eq!(site.games().await, before);
}
