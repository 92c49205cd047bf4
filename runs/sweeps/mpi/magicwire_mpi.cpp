// magicwire-mpi: the bridge between a process of `magicwire study --engine mpi` and the other ranks. It alone uses MPI, so the
// process that starts points may fork (docs/decisions/0038-study-engines.md).
//
//   magicwire-mpi DESCRIPTOR     a socket of the process that started it
//
// A frame on the socket is the other rank, the number of bytes (both 32 bits, in the order of the host), and the bytes. The
// first frame to the process is its own rank, with the number of ranks. A frame to `finish` ends the bridge. If the socket
// closes without one, the process has died, and so does the MPI job.
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
// The MPI library loads most of itself as modules, unloads them before the end, and keeps memory that nobody can name then.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
    return "detect_leaks=0";
}
#endif

namespace {

constexpr std::uint32_t finish = UINT32_MAX;
constexpr int idle_ms = 1;  // between two looks for messages, so that a waiting rank leaves its processor to the points

std::string frame(std::uint32_t rank, const std::string& bytes) {
    const std::uint32_t head[2] = {rank, static_cast<std::uint32_t>(bytes.size())};
    return std::string(reinterpret_cast<const char*>(head), sizeof head) + bytes;
}

class Bridge {
public:
    explicit Bridge(int socket) : socket_(socket) {
        fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
        int rank = 0, size = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        out_ = frame(static_cast<std::uint32_t>(rank), std::to_string(size));
    }

    void run() {
        while (!finished_) {
            const bool has_come = take_messages();
            write_out();
            pollfd ready{socket_, static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
            if (poll(&ready, 1, has_come ? 0 : idle_ms) > 0 && (ready.revents & (POLLIN | POLLHUP)) != 0) read_in();
            send_frames();
        }
    }

private:
    bool take_messages() {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
        if (there == 0) return false;
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        std::string bytes(static_cast<std::size_t>(count), '\0');
        MPI_Recv(bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        out_ += frame(static_cast<std::uint32_t>(status.MPI_SOURCE), bytes);
        return true;
    }
    void write_out() {
        if (out_.empty()) return;
        const ssize_t written = write(socket_, out_.data(), out_.size());
        if (written > 0) out_.erase(0, static_cast<std::size_t>(written));
        if (written < 0 && errno != EAGAIN && errno != EINTR) give_up();
    }
    void read_in() {
        char bytes[65536];
        const ssize_t got = read(socket_, bytes, sizeof bytes);
        if (got > 0) in_.append(bytes, static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) give_up();
    }
    // MPI_Send may wait for the other rank, whose bridge always comes back to its messages.
    void send_frames() {
        std::uint32_t head[2];
        while (!finished_ && in_.size() >= sizeof head) {
            std::memcpy(head, in_.data(), sizeof head);
            if (in_.size() < sizeof head + head[1]) return;
            if (head[0] == finish) {
                finished_ = true;
            } else {
                MPI_Send(in_.data() + sizeof head, static_cast<int>(head[1]), MPI_BYTE, static_cast<int>(head[0]), 0,
                         MPI_COMM_WORLD);
            }
            in_.erase(0, sizeof head + head[1]);
        }
    }
    [[noreturn]] static void give_up() {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        std::abort();
    }

    int socket_;
    std::string in_, out_;  // not sent yet
    bool finished_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return EXIT_FAILURE;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);  // the other process decides
    std::signal(SIGPIPE, SIG_IGN);
    MPI_Init(nullptr, nullptr);
    Bridge(std::atoi(argv[1])).run();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
